import { setTimeout as sleep } from "node:timers/promises";
import { type FreshCredentials, getConnectionByUuid, getFreshCredentials } from "#connections";
import { egressOf } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { toUpstreamError } from "#platform/egress";
import { MAX_REFUSAL_BYTES, readRefusal } from "../answer/read-refusal.ts";
import type { ProviderCall } from "../call.ts";
import type { CallLog } from "../call-log.ts";
import { beginAttempt, endAttempt, tellTrace } from "../call-span.ts";
import { learnFromAnswer, traffic } from "../limits/traffic.ts";
import { waitForQuota } from "../limits/wait-for-quota.ts";
import { mayRenewRefused } from "./renew-in-background.ts";
import { isRetryableAnswer, isRetryableFailure, nextWaitMs } from "./retry-policy.ts";
import {
  type AnswerHead,
  type AnswerSink,
  type AttemptOptions,
  type AttemptOutcome,
  type Decision,
  sendAttempt,
  type UpstreamRequest,
} from "./send-attempt.ts";
import { sendSigned } from "./send-signed.ts";

export interface Exchange {
  readonly head: AnswerHead;
  /** False when the answer points elsewhere and was not passed to the sink. */
  readonly passed: boolean;
  /** Why the answer ended early; undefined when it is whole. */
  readonly broken: Error | undefined;
  /** The connection whose credentials were refused with 401, where no retry has renewed them. */
  readonly refused: FreshCredentials["connection"] | undefined;
}

export interface ExchangeOptions {
  readonly sink: AnswerSink;
  readonly log: CallLog;
  /** Called before the answer is passed on when a retry was due, but the body cannot be sent again. */
  readonly retrySkipped?: () => void;
  /** Whether the answer is not for the sink, because the call continues elsewhere. */
  readonly isPassedOver?: (head: AnswerHead) => boolean;
}

/**
 * Makes the call, with as many retries as it asks for, and passes the last answer to the sink.
 * Throws the caller's error when there is no answer; a body that was a stream is sent once.
 */
export async function exchange(
  ctx: EnvironmentContext,
  call: ProviderCall,
  { sink, log, retrySkipped, isPassedOver = () => false }: ExchangeOptions,
): Promise<Exchange> {
  const { connection, integration, body } = call;
  const hints = { ...call.subject.provider.retry, ...call.retryHeader };
  const rules = { ...call, listed: hints.statuses };
  const isReplayable = body.kind !== "stream";
  let fresh = await log.time("credentials", async () => {
    return await getFreshCredentials(ctx, { connection, integration, force: false });
  });
  let refusedVersion: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const { credentialVersion } = fresh.connection;
    const isLast = attempt >= call.retries;
    let failure: unknown;
    let renewal: { readonly fresh?: FreshCredentials; readonly error?: unknown } | undefined;
    /** Credentials that the provider refused are not sent again: only others are worth an attempt. */
    const decideOnRefused = async (): Promise<Decision> => {
      refusedVersion = credentialVersion;
      const used = fresh;
      renewal = await log
        .time("credentials", async () => await renew(ctx, call, used, { force: true }))
        .then(
          (renewed) => ({ fresh: renewed }),
          (error: unknown) => ({ error }),
        );
      const isUnchanged = renewal.fresh?.connection.credentialVersion === credentialVersion;
      // Without retries the caller reads the provider's own answer rather than why renewing failed.
      const isUnrenewed = isLast && renewal.fresh === undefined;
      return isUnchanged || isUnrenewed ? "pass" : "discard";
    };
    const decide = (head: AnswerHead): Decision | Promise<Decision> => {
      log.answered();
      learnFromAnswer(ctx, call, head);
      const isFirstRefusal = head.status === 401 && refusedVersion === undefined;
      if (isLast && isFirstRefusal && renewsRefused(ctx, call, fresh)) return decideOnRefused();
      const isFinal = isLast || !isRetryableAnswer(head.status, head.headers, rules);
      if (isFinal) return isPassedOver(head) ? "discard" : "pass";
      if (!isReplayable) retrySkipped?.();
      if (!isReplayable) return "pass";
      return head.status === 401 ? decideOnRefused() : "discard";
    };
    const outcome = await sendSigned(ctx, call, fresh.credentials, {
      isReplayable,
      skipped: () => retrySkipped?.(),
      send: async (request, review) =>
        await send(ctx, call, request, {
          sink,
          decide: (head) => review(head) ?? decide(head),
          log,
          keepBytes: hints.in_body === undefined ? undefined : MAX_REFUSAL_BYTES,
        }),
    }).catch((error: unknown) => {
      if (ctx.signal.aborted) throw error;
      failure = error;
      if (!isLast && isReplayable && isRetryableFailure(error)) return undefined;
      throw toUpstreamError(error, new URL(call.baseUrl).hostname);
    });
    if (outcome !== undefined && (outcome.passed || isPassedOver(outcome.head))) {
      const { head, broken, passed } = outcome;
      const isRefused = head.status === 401 && refusedVersion === undefined;
      return { head, passed, broken, refused: isRefused ? fresh.connection : undefined };
    }
    if (outcome?.head.status === 401 && renewal !== undefined) {
      log.retrying({ attempt, status: 401 });
      if (renewal.fresh === undefined) throw renewal.error;
      ({ fresh } = renewal);
      continue;
    }
    const refusal = await readRefusal(outcome);
    const waitMs = nextWaitMs(attempt + 1, refusal, hints, ctx.clock.now());
    log.retrying({ attempt, status: outcome?.head.status, failure, waitMs });
    await log.time("wait", async () => await sleep(waitMs, undefined, { signal: ctx.signal }));
    fresh = await renew(ctx, call, fresh, { force: false });
  }
}

/** Whether the call is worth repeating after a 401, though it asks for no further attempt. */
function renewsRefused(ctx: EnvironmentContext, call: ProviderCall, used: FreshCredentials) {
  const isWanted = call.renewsRefused === true && call.body.kind !== "stream";
  return isWanted && mayRenewRefused(used.connection, ctx.clock.now());
}

interface Sending extends AttemptOptions {
  readonly log: CallLog;
}

/** One attempt, once the provider's quota and the state of its server allow it. */
async function send(
  ctx: EnvironmentContext,
  { connection, integration, patience }: ProviderCall,
  request: UpstreamRequest,
  { log, ...options }: Sending,
): Promise<AttemptOutcome> {
  const { breakers } = traffic.of(ctx);
  const http = egressOf(ctx, integration);
  // A simulator that is down says nothing of the provider.
  const origin = integration.settings.overrides?.simulator_url ?? request.origin;
  const owner = { connection: connection.uuid, integrationId: integration.id };
  await log.time("wait", async () => await waitForQuota(ctx, owner, patience));
  breakers.require(origin);
  log.sent();
  const span = beginAttempt(ctx.trace, { integration }, request);
  try {
    const told = tellTrace(ctx, request, span);
    const outcome = await sendAttempt(http, told, { signal: ctx.signal, ...options });
    breakers.noteAnswer(origin);
    endAttempt(span, { status: outcome.head.status });
    return outcome;
  } catch (error) {
    breakers.noteFailure(origin, error);
    endAttempt(span, { code: toUpstreamError(error, "The provider").code });
    throw error;
  }
}

/** The current credentials: somebody may have reconnected meanwhile. */
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
