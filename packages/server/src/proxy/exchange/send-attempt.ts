import type { EnvironmentContext } from "#foundation";
import { type Egress, toUpstreamError } from "#foundation/egress";
import { egressOf } from "#integrations";
import type { ProviderCall } from "../call.ts";
import type { CallLog } from "../call-log.ts";
import { beginAttempt, endAttempt, putTraceHeaders } from "../call-span.ts";
import { noteAnswer, noteFailure, requireOrigin } from "../limits/upstream-limits.ts";
import { awaitQuota } from "../limits/wait-for-quota.ts";
import {
  type AnswerHead,
  Attempt,
  type AttemptOptions,
  type AttemptOutcome,
  bytesOfHead,
  type UpstreamRequest,
} from "./attempt.ts";
import type { Hop } from "./redirects.ts";

interface Sending extends AttemptOptions {
  readonly log: CallLog;
}

/**
 * One attempt, once the provider's quota and the state of its server allow it; rejects with undici's error when there
 * is no answer at all. Another origin than the provider's has neither.
 */
export async function sendAttempt(
  ctx: EnvironmentContext,
  { call, isBare }: Hop,
  request: UpstreamRequest,
  { log, ...options }: Sending,
): Promise<AttemptOutcome> {
  const { connection, integration, patience, egress } = call;
  if (isBare) {
    log.sent();
    const http = egressOf(ctx, integration);
    return await dispatch(http, request, { ...options, egress }, ctx.signal);
  }
  // A simulator that is down says nothing of the provider.
  const origin = integration.settings.overrides?.simulator_url ?? request.origin;
  const owner = { connection: connection.uuid, integrationId: integration.id };
  const use = await log.time("wait", async () => await awaitQuota(ctx, owner, patience));
  const decide = (head: AnswerHead) => {
    const decision = options.decide(head);
    // The body may take long, and is none of the quota's business.
    use.end(head.status !== 429);
    return decision;
  };
  try {
    requireOrigin(ctx, call, origin);
    log.sent(use.waitedMs);
    return await sendTraced(ctx, { call, origin }, request, { ...options, decide });
  } finally {
    use.end(false);
  }
}

async function sendTraced(
  ctx: EnvironmentContext,
  { call, origin }: { readonly call: ProviderCall; readonly origin: string },
  request: UpstreamRequest,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  const { integration, egress } = call;
  const http = egressOf(ctx, integration);
  const span = beginAttempt(ctx.trace, { integration }, request);
  try {
    const traced = putTraceHeaders(ctx, request, span);
    const outcome = await dispatch(http, traced, { ...options, egress }, ctx.signal);
    noteAnswer(ctx, call, origin);
    endAttempt(span, { status: outcome.head.status });
    return outcome;
  } catch (error) {
    noteFailure(ctx, call, { origin, error });
    endAttempt(span, { code: toUpstreamError(error, "The provider").code });
    throw error;
  }
}

async function dispatch(
  http: Egress,
  request: UpstreamRequest,
  { egress, ...options }: AttemptOptions & Pick<ProviderCall, "egress">,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<AttemptOutcome>();
  const meter = egress && new Meter(request);
  const attempt = new Attempt({ ...options, meter }, { answered: resolve, failed: reject });
  const onAbort = () => attempt.abort(toError(signal.reason));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    http.dispatch(request, attempt);
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (meter?.hasLeft === true) egress?.count(new URL(request.origin), meter);
  }
}

/** Bytes of one request and its answer: heads as they are written in HTTP/1.1, bodies as they pass. */
class Meter {
  readonly sent: number;
  received = 0;
  hasLeft = false;

  constructor({ method, path, headers, body }: UpstreamRequest) {
    const line = Buffer.byteLength(method) + Buffer.byteLength(path) + 12;
    const bodyBytes = body instanceof Uint8Array ? body.byteLength : 0;
    this.sent = line + bytesOfHead(headers) + bodyBytes;
  }

  left(): void {
    this.hasLeft = true;
  }

  add(bytes: number): void {
    this.received += bytes;
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("the caller has gone", { cause: reason });
}
