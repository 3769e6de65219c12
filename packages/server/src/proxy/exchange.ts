import { setTimeout as sleep } from "node:timers/promises";
import { renderOptional } from "@jackfield/catalogue";
import { type Credentials, getAuthMode, type OutgoingRequest, toTemplateValues } from "#auth-modes";
import { type FreshCredentials, getConnectionByUuid, getFreshCredentials } from "#connections";
import type { EnvironmentContext } from "#platform";
import { toUpstreamError } from "#platform/egress";
import type { ProviderCall } from "./call.ts";
import { toUpstreamHeaders } from "./request-headers.ts";
import { isRetryableAnswer, isRetryableFailure, nextWaitMs } from "./retry-policy.ts";
import {
  type AnswerHead,
  type AnswerSink,
  sendAttempt,
  type UpstreamRequest,
} from "./send-attempt.ts";
import { appendQuery, toTarget } from "./target.ts";

export interface Exchange {
  readonly head: AnswerHead;
  /** Why the answer ended early; undefined when it is whole. */
  readonly broken: Error | undefined;
  /** The connection whose credentials were refused with 401, where no retry has renewed them. */
  readonly refused: FreshCredentials["connection"] | undefined;
}

export interface ExchangeOptions {
  readonly sink: AnswerSink;
  /** Told before the answer is passed on when a retry was due, but the body cannot be sent again. */
  readonly retrySkipped?: () => void;
}

/**
 * Makes the call, with as many retries as it asks for, and passes the last answer to the sink (decisions 28).
 * Throws what the caller is told when there is no answer; a body that was a stream is sent once.
 */
export async function exchange(
  ctx: EnvironmentContext,
  call: ProviderCall,
  { sink, retrySkipped }: ExchangeOptions,
): Promise<Exchange> {
  const { connection, integration } = call;
  const hints = call.subject.provider.retry;
  let fresh = await getFreshCredentials(ctx, { connection, integration, force: false });
  let refusedVersion: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const { credentialVersion } = fresh.connection;
    const isLast = attempt >= call.retries;
    const decide = (head: AnswerHead): "pass" | "discard" => {
      if (isLast || !isRetryableAnswer(head.status, head.headers, call, hints)) return "pass";
      if (head.status === 401 && refusedVersion === credentialVersion) return "pass";
      if (call.body.kind !== "stream") return "discard";
      retrySkipped?.();
      return "pass";
    };
    const request = toRequest(call, fresh.credentials);
    const outcome = await sendAttempt(ctx.http, request, {
      signal: ctx.signal,
      sink,
      decide,
    }).catch((error: unknown) => {
      if (ctx.signal.aborted) throw error;
      const mayRetry = !isLast && call.body.kind !== "stream" && isRetryableFailure(error);
      if (mayRetry) return undefined;
      throw toUpstreamError(error, new URL(request.origin).hostname);
    });
    if (outcome?.passed === true) {
      const refused = outcome.head.status === 401 && refusedVersion === undefined;
      const { head, broken } = outcome;
      return { head, broken, refused: refused ? fresh.connection : undefined };
    }
    if (outcome?.head.status === 401) {
      refusedVersion = credentialVersion;
      fresh = await renew(ctx, call, fresh, { force: true });
      continue;
    }
    const headers = outcome?.head.headers ?? [];
    await sleep(nextWaitMs(attempt + 1, headers, hints, ctx.clock.now()), undefined, {
      signal: ctx.signal,
    });
    fresh = await renew(ctx, call, fresh, { force: false });
  }
}

/** Credentials as they stand now: somebody may have reconnected meanwhile. */
async function renew(
  ctx: EnvironmentContext,
  { integration }: ProviderCall,
  used: FreshCredentials,
  { force }: { force: boolean },
): Promise<FreshCredentials> {
  const connection = await getConnectionByUuid(ctx, used.connection.uuid);
  const isNewer = connection.credentialVersion !== used.connection.credentialVersion;
  return await getFreshCredentials(ctx, { connection, integration, force: force && !isNewer });
}

function toRequest(call: ProviderCall, credentials: Credentials): UpstreamRequest {
  const { subject, method, body } = call;
  const target = toTarget(call.baseUrl, call.path);
  const outgoing: OutgoingRequest = {
    method,
    url: `${target.origin}${target.path}`,
    headers: new Map(),
    query: new Map(),
  };
  getAuthMode(subject.provider.auth_mode).apply(subject, credentials, outgoing);
  const added = { defaults: toDefaults(call), credentials: outgoing.headers };
  const headers = toUpstreamHeaders(call.headers, added);
  if (body.kind === "stream" && body.contentLength !== undefined) {
    headers.push("content-length", body.contentLength);
  }
  return {
    origin: target.origin,
    path: appendQuery(target.path, outgoing.query),
    method,
    headers,
    body: body.kind === "none" ? null : body.kind === "bytes" ? body.bytes : body.stream,
  };
}

function toDefaults({ subject, defaults: given = {} }: ProviderCall): ReadonlyMap<string, string> {
  const defaults = new Map(Object.entries(given));
  for (const [name, template] of Object.entries(subject.provider.headers)) {
    const value = renderOptional(template, toTemplateValues(subject));
    if (value !== undefined) defaults.set(name.toLowerCase(), value);
  }
  return defaults;
}
