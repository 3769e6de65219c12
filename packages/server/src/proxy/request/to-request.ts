import {
  type AddedHeaders,
  type AppliedCredentials,
  applyCredentials,
  applyProven,
  type CallDraft,
  type Credentials,
  type OutgoingBody,
  type SigningFacts,
} from "#auth-modes";
import { findHeader } from "../answer/response-headers.ts";
import type { ProviderCall } from "../call.ts";
import type { UpstreamRequest } from "../exchange/attempt.ts";
import type { RequestBody } from "./request-body.ts";
import { toUpstreamHeaders } from "./request-headers.ts";
import { toTarget } from "./target.ts";

type WrittenCall = Pick<
  ProviderCall,
  "subject" | "mode" | "method" | "baseUrl" | "path" | "headers" | "defaults"
>;

interface Writing {
  readonly facts: SigningFacts;
  readonly body?: OutgoingBody;
}

/**
 * The request as it leaves, with the credentials in place: where it goes, and the body only where the
 * credentials have changed it. Without `body` nothing may depend on it (see isPlainCall).
 */
export function toRequest(
  call: WrittenCall,
  credentials: Credentials,
  writing: Writing,
): UpstreamRequest {
  const { origin, draft } = toDraft(call, writing);
  const applied = applyCredentials(call.mode, call.subject, credentials, draft);
  return toUpstreamRequest(call, { origin, draft, applied });
}

/** `toRequest` for any call: a token that is bound to a key has its proof. */
export async function toProvenRequest(
  call: WrittenCall,
  credentials: Credentials,
  writing: Writing,
): Promise<UpstreamRequest> {
  const { origin, draft } = toDraft(call, writing);
  const applied = await applyProven(call.mode, call.subject, credentials, draft);
  return toUpstreamRequest(call, { origin, draft, applied });
}

function toDraft(call: WrittenCall, { facts, body = { kind: "none" } }: Writing) {
  const { origin, path } = toTarget(call.baseUrl, call.path);
  const draft: CallDraft = {
    method: call.method,
    url: `${origin}${path}`,
    body,
    contentType: findContentType(call.headers),
    facts,
    toSentHeaders: (added) => toMap(toHeaders(call, added)),
  };
  return { origin, draft };
}

function toUpstreamRequest(
  call: WrittenCall,
  { origin, draft, applied }: { origin: string; draft: CallDraft; applied: AppliedCredentials },
): UpstreamRequest {
  const { method, body } = draft;
  const changed = applied.body.kind === "bytes" && applied.body !== body ? applied.body : undefined;
  return {
    origin,
    path: applied.url.slice(origin.length),
    method,
    headers: toHeaders(call, applied),
    body: changed?.bytes ?? null,
  };
}

function findContentType(headers: readonly string[]): string {
  return findHeader(headers, "svc-proxy-content-type") ?? findHeader(headers, "content-type") ?? "";
}

/** The entry's headers come on top of the call's own defaults. */
function toHeaders(
  { headers, defaults: given }: Pick<ProviderCall, "headers" | "defaults">,
  { defaults, credentials }: AddedHeaders,
): string[] {
  const all = given === undefined ? defaults : new Map([...Object.entries(given), ...defaults]);
  return toUpstreamHeaders(headers, { defaults: all, credentials });
}

function toMap(flat: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name = flat[index]?.toLowerCase() ?? "";
    const value = flat[index + 1] ?? "";
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known},${value}`);
  }
  return headers;
}

/** The request with its body, unless the credentials have put another in its place. */
export function withBody(request: UpstreamRequest, body: RequestBody): UpstreamRequest {
  if (request.body !== null) return request;
  switch (body.kind) {
    case "none":
      return request;
    case "bytes":
      return { ...request, body: body.bytes };
    case "stream": {
      const { contentLength, stream } = body;
      const length = contentLength === undefined ? [] : ["content-length", contentLength];
      return { ...request, headers: [...request.headers, ...length], body: stream };
    }
  }
}
