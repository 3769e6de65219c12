import { isUtf8 } from "node:buffer";
import type { proxyRequestRoutes, RouteInput, RouteOutput } from "@jackfield/contract";
import { getCachedConnectionForCall } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { callProvider, type ProviderCallInput } from "./call-provider.ts";
import { takeCallSlot } from "./limits/call-slots.ts";

type Routes = typeof proxyRequestRoutes;
type Sent = RouteInput<Routes["sendProxyRequest"]>["body"];
type Answered = RouteOutput<Routes["sendProxyRequest"]>["data"];

/** An answer is kept whole and written as JSON: larger ones belong to `/proxy`, which streams them. */
const LONGEST_ANSWER_BYTES = 2 * 1024 * 1024;

const WITHOUT_BODY = new Set(["GET", "HEAD"]);

/** A call to the provider with the connection's credentials, whose answer comes as data. */
export async function sendProxyRequest(ctx: EnvironmentContext, sent: Sent): Promise<Answered> {
  using _slot = takeCallSlot(ctx);
  const found = await getCachedConnectionForCall(ctx, {
    integrationKey: sent.provider_config_key,
    connectionId: sent.connection_id,
  });
  const method = sent.method ?? "GET";
  const input: ProviderCallInput = {
    ...found,
    method,
    endpoint: sent.path,
    query: Object.entries(sent.query ?? {}),
    ...toBody(sent, method),
    baseUrlOverride: sent.base_url_override,
    retries: sent.retries ?? 0,
    retryOn: [],
    decompress: true,
    followRedirects: sent.follow_redirects ?? false,
    patience: { kind: "none" },
    answerLimitBytes: LONGEST_ANSWER_BYTES,
  };
  if (method !== "GET" && method !== "HEAD") await ctx.noteEffect?.();
  const startedMs = performance.now();
  const { status, headers, body, timing } = await callProvider(ctx, input);
  const isText = isUtf8(body);
  return {
    status,
    headers,
    body: body.toString(isText ? "utf8" : "base64"),
    body_encoding: isText ? "text" : "base64",
    size: body.byteLength,
    duration_ms: Math.round(performance.now() - startedMs),
    timing: {
      credentials_ms: Math.round(timing.credentials),
      wait_ms: Math.round(timing.wait),
      upstream_ms: Math.round(timing.upstream),
    },
  };
}

function toBody(
  { body, body_base64: bytes, headers = {} }: Sent,
  method: string,
): Pick<ProviderCallInput, "body" | "headers"> {
  if (body === undefined && bytes === undefined) return { body: undefined, headers };
  if (WITHOUT_BODY.has(method)) {
    const message = `body: a ${method} request has none`;
    const details = [{ code: "custom", message, path: ["body"] }];
    throw new AppError("invalid_body", message, { details });
  }
  if (bytes !== undefined) return { body: Buffer.from(bytes, "base64"), headers };
  if (typeof body === "string") return { body: Buffer.from(body), headers };
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    body: Buffer.from(JSON.stringify(body)),
    headers: isTyped ? headers : { ...headers, "content-type": "application/json" },
  };
}
