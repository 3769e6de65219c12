import { AppError, SECOND } from "#foundation";
import type { EgressRequest, EgressResponse } from "#foundation/egress";
import type { AuthMode, AuthSubject, AuthTools, Credentials } from "../auth-mode.ts";
import { ProviderFailure } from "../observe/provider-failure.ts";
import { sendSigned } from "../proof/send-signed.ts";
import { type SignedAnswer, type SigningFacts, toSignedAnswer } from "../proof/signing-facts.ts";
import { applyProven } from "./apply-credentials.ts";

const TIMEOUT_MS = 20 * SECOND;
const MAX_ANSWER_BYTES = 1024 * 1024;

type WrittenCall = Pick<EgressRequest, "method" | "url" | "headers" | "body">;

export interface ConnectionCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** A call of the server with credentials that are not stored yet; throws ProviderFailure without answer. */
export async function callAsConnection(
  mode: AuthMode,
  subject: AuthSubject,
  credentials: Credentials,
  { method, url, headers: own, json }: ConnectionCall,
  tools: AuthTools,
): Promise<EgressResponse> {
  const contentType = json === undefined ? "" : "application/json";
  const base = {
    accept: "application/json",
    "user-agent": "Jackfield",
    ...(json === undefined ? {} : { "content-type": contentType }),
  };
  const write = async (facts: SigningFacts): Promise<WrittenCall> => {
    const applied = await applyProven(mode, subject, credentials, {
      method,
      url,
      contentType,
      facts,
      body: json === undefined ? { kind: "none" } : { kind: "bytes", bytes: toBytes(json) },
      toSentHeaders: (added) => joinHeaders(base, own, added),
    });
    return {
      method,
      url: applied.url,
      headers: Object.fromEntries(joinHeaders(base, own, applied)),
      ...(applied.body.kind === "bytes" ? { body: applied.body.bytes } : {}),
    };
  };
  const send = async (call: WrittenCall, review: (answer: SignedAnswer) => boolean) => {
    const response = await tools.http.request({
      ...call,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      signal: tools.signal,
    });
    review(toSignedAnswer(response));
    return response;
  };
  try {
    return await sendSigned({ url, role: "resource", write, send }, tools);
  } catch (error) {
    if (error instanceof ProviderFailure || !(error instanceof AppError)) throw error;
    if (error.code === "destination_not_allowed") throw error;
    const message = `The credentials could not be checked: ${error.message}`;
    throw new ProviderFailure("unavailable", message, { cause: error });
  }
}

function toBytes(json: object): Uint8Array {
  return Buffer.from(JSON.stringify(json));
}

function joinHeaders(
  base: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  added: {
    readonly defaults: ReadonlyMap<string, string>;
    readonly credentials: ReadonlyMap<string, string>;
  },
): Map<string, string> {
  return new Map([
    ...Object.entries(base),
    ...added.defaults,
    ...added.credentials,
    // The entry knows calls that take the token in another form.
    ...Object.entries(own),
  ]);
}
