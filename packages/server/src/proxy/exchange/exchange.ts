import { setTimeout as sleep } from "node:timers/promises";
import { type Credentials, sendSigned } from "#auth-modes";
import { type FreshCredentials, getConnectionByUuid, getFreshCredentials } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import { egressOf, listCallHosts } from "#integrations";
import type { EgressOwner } from "#slice";
import { MAX_REFUSAL_BYTES, readRefusal } from "../answer/read-refusal.ts";
import type { ProviderCall } from "../call.ts";
import type { CallLog } from "../call-log.ts";
import { learnFromAnswer } from "../limits/upstream-limits.ts";
import { toTarget } from "../request/target.ts";
import type { AnswerHead, AnswerSink, AttemptOutcome, Decision } from "./attempt.ts";
import { findNext, firstHop, type Hop, nextHop } from "./redirects.ts";
import { mayRenewRefused } from "./renew-in-background.ts";
import { isRetryableAnswer, isRetryableFailure, nextWaitMs } from "./retry-policy.ts";
import { sendAttempt } from "./send-attempt.ts";
import { toSignedCall } from "./signed-call.ts";

export interface Exchange {
  readonly head: AnswerHead;
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
  /** Hears of credentials before they are sent. */
  readonly onCredentials?: (credentials: Credentials) => void;
}

/** The attempts at one address. */
interface Tries {
  /** Undefined where the call is without credentials. */
  readonly fresh: FreshCredentials | undefined;
  /** Counted from 0. */
  readonly attempt: number;
  /** Credentials that the provider refused are not sent again: only others are worth an attempt. */
  refusedVersion?: number;
  renewal?: { readonly fresh?: FreshCredentials; readonly error?: unknown };
}

/**
 * Makes the call, with as many retries and redirects as it asks for, and passes the last answer to the sink.
 * Throws the caller's error when there is no answer; a body that was a stream is sent once.
 */
export async function exchange(
  ctx: EnvironmentContext,
  call: ProviderCall,
  { sink, log, retrySkipped = () => {}, onCredentials = () => {} }: ExchangeOptions,
): Promise<Exchange> {
  let hop = firstHop(call);
  let tries = await begin(ctx, hop, log);
  for (;;) {
    const current: { hop: Hop; tries: Tries } = { hop, tries };
    const decide = (head: AnswerHead) => decideOn(ctx, current, head, { log, retrySkipped });
    let failure: unknown;
    if (tries.fresh !== undefined) onCredentials(tries.fresh.credentials);
    const signed = toSignedCall(ctx, hop, tries.fresh, {
      skipped: retrySkipped,
      send: async (request, isToSignAgain) =>
        await sendAttempt(ctx, hop, request, {
          sink,
          log,
          decide: (head) => (isToSignAgain(head) ? "discard" : decide(head)),
          keepBytes: hintsOf(hop).in_body === undefined ? undefined : MAX_REFUSAL_BYTES,
        }),
    });
    const tools = { http: egressOf(ctx, call.integration), now: ctx.clock.now() };
    const outcome = await sendSigned(signed, tools).catch((error: unknown) => {
      failure = error;
      if (mayRetry(ctx, current, error)) return undefined;
      throw ctx.signal.aborted ? error : toUpstreamError(error, hostOf(hop));
    });
    if (outcome?.passed === true) return toExchange(outcome, tries);
    const next = outcome && nextHop(hop, outcome.head);
    if (next !== undefined) {
      hop = next;
      tries = await begin(ctx, hop, log);
    } else tries = await beforeRetry(ctx, current, { outcome, failure }, log);
  }
}

/** Credentials, as they are when an address is called for the first time. */
async function begin(ctx: EnvironmentContext, hop: Hop, log: CallLog): Promise<Tries> {
  const { egress } = hop.call;
  if (egress !== undefined) await egress.admit(toOrigin(hop), ownerOf(hop.call));
  if (hop.isBare) return { fresh: undefined, attempt: 0 };
  const { connection, integration } = hop.call;
  const get = async () => await getFreshCredentials(ctx, { connection, integration, force: false });
  return { fresh: await log.time("credentials", get), attempt: 0 };
}

/** What is connected to, whose path has no say in it. */
function toOrigin({ at, call }: Hop): URL {
  return new URL(at?.origin ?? toTarget(call.baseUrl, call.path).origin);
}

/** Whose hosts a door may take for the integration's: those of the connection that is called. */
function ownerOf({ integration, connection }: ProviderCall): EgressOwner {
  return {
    integrationId: integration.id,
    hosts: () => listCallHosts(integration, connection.connectionConfig),
  };
}

interface Current {
  readonly hop: Hop;
  readonly tries: Tries;
}

/** What becomes of an answer: for the caller, or read away for another attempt or address. */
function decideOn(
  ctx: EnvironmentContext,
  { hop, tries }: Current,
  head: AnswerHead,
  { log, retrySkipped }: Required<Pick<ExchangeOptions, "log" | "retrySkipped">>,
): Decision | Promise<Decision> {
  const { call } = hop;
  const { fresh } = tries;
  log.answered();
  if (fresh === undefined) return findNext(hop, head) === undefined ? "pass" : "discard";
  learnFromAnswer(ctx, call, head);
  const isLast = isLastOf(hop, tries);
  const renew = async () => await renewRefused(ctx, { hop, tries }, fresh, log);
  const isFirstRefusal = head.status === 401 && tries.refusedVersion === undefined;
  if (isLast && isFirstRefusal && renewsRefused(ctx, call, fresh)) return renew();
  const rules = { ...call, listed: hintsOf(hop).statuses };
  const isFinal = isLast || !isRetryableAnswer(head.status, head.headers, rules);
  if (isFinal) return findNext(hop, head) === undefined ? "pass" : "discard";
  if (call.body.kind === "stream") {
    retrySkipped();
    return "pass";
  }
  return head.status === 401 ? renew() : "discard";
}

async function renewRefused(
  ctx: EnvironmentContext,
  { hop, tries }: Current,
  used: FreshCredentials,
  log: CallLog,
): Promise<Decision> {
  const { credentialVersion } = used.connection;
  tries.refusedVersion = credentialVersion;
  tries.renewal = await log
    .time("credentials", async () => await renew(ctx, hop.call, used, { force: true }))
    .then(
      (fresh) => ({ fresh }),
      (error: unknown) => ({ error }),
    );
  const { fresh } = tries.renewal;
  const isUnchanged = fresh?.connection.credentialVersion === credentialVersion;
  // Without retries the caller reads the provider's own answer rather than why renewing failed.
  const isUnrenewed = isLastOf(hop, tries) && fresh === undefined;
  return isUnchanged || isUnrenewed ? "pass" : "discard";
}

function mayRetry(ctx: EnvironmentContext, { hop, tries }: Current, error: unknown): boolean {
  const isReplayable = hop.call.body.kind !== "stream";
  return !ctx.signal.aborted && !isLastOf(hop, tries) && isReplayable && isRetryableFailure(error);
}

/** The next attempt: at once with renewed credentials, or after a wait. */
async function beforeRetry(
  ctx: EnvironmentContext,
  { hop, tries }: Current,
  { outcome, failure }: { outcome: AttemptOutcome | undefined; failure: unknown },
  log: CallLog,
): Promise<Tries> {
  const { attempt, renewal, refusedVersion } = tries;
  const known = refusedVersion === undefined ? {} : { refusedVersion };
  const status = outcome?.head.status;
  if (status === 401 && renewal !== undefined) {
    log.retrying({ attempt, status });
    if (renewal.fresh === undefined) throw renewal.error;
    return { ...known, fresh: renewal.fresh, attempt: attempt + 1 };
  }
  const refusal = await readRefusal(outcome);
  const waitMs = nextWaitMs(attempt + 1, refusal, hintsOf(hop), ctx.clock.now());
  log.retrying({ attempt, status, failure, waitMs });
  await log.time("wait", async () => await sleep(waitMs, undefined, { signal: ctx.signal }));
  const fresh = tries.fresh && (await renew(ctx, hop.call, tries.fresh, { force: false }));
  return { ...known, fresh, attempt: attempt + 1 };
}

function toExchange({ head, broken }: AttemptOutcome, { fresh, refusedVersion }: Tries): Exchange {
  const isRefused = head.status === 401 && refusedVersion === undefined;
  return { head, broken, refused: isRefused ? fresh?.connection : undefined };
}

/** Another origin is asked once: what the caller wants of retries is about its provider. */
function isLastOf({ call, isBare }: Hop, { attempt }: Tries): boolean {
  return isBare || attempt >= call.retries;
}

function hintsOf({ call }: Hop) {
  return { ...call.subject.provider.retry, ...call.retryHeader };
}

function hostOf({ call }: Hop): string {
  return new URL(call.baseUrl).hostname;
}

/** Whether the call is worth repeating after a 401, though it asks for no further attempt. */
function renewsRefused(ctx: EnvironmentContext, call: ProviderCall, used: FreshCredentials) {
  const isWanted = call.renewsRefused === true && call.body.kind !== "stream";
  return isWanted && mayRenewRefused(used.connection, ctx.clock.now());
}

/** The current credentials: somebody may have reconnected meanwhile. */
async function renew(
  ctx: EnvironmentContext,
  { integration }: ProviderCall,
  used: FreshCredentials,
  { force }: { force: boolean },
): Promise<FreshCredentials> {
  const connection = await getConnectionByUuid(ctx, used.connection.uuid);
  const refusedVersion = used.connection.credentialVersion;
  return await getFreshCredentials(ctx, { connection, integration, force, refusedVersion });
}
