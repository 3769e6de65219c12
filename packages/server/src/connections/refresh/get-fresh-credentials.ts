import assert from "node:assert";
import { type Credentials, getAuthMode } from "#auth-modes";
import {
  AppError,
  type ConnectionUuid,
  type EnvironmentContext,
  inTime,
  SECOND,
  serverState,
} from "#foundation";
import { catchUpCaches } from "#foundation/cache";
import type { Integration } from "#integrations";
import {
  type Connection,
  isCorrected,
  isRefreshDue,
  isUsable,
  standingProblem,
} from "../connection.ts";
import { requireUnfrozen } from "../freeze/require-unfrozen.ts";
import { getConnectionByUuid } from "../read/get-connection.ts";
import { refreshMarginMs } from "../renewal-times.ts";
import { openCredentials } from "../sealed-credentials.ts";
import { toQuarantineError, toRefreshError } from "./refresh-error.ts";
import type { RefreshOutcome, RenewInput } from "./refresh-outcome.ts";
import { renewCredentials } from "./renew-credentials.ts";

export interface FreshCredentials {
  readonly credentials: Credentials;
  /** The connection in its state with these credentials. */
  readonly connection: Connection;
}

const PATIENCE_WITH_USABLE_TOKEN_MS = 2 * SECOND;

export interface FreshnessRequest {
  readonly connection: Connection;
  readonly integration: Integration;
  /** Renews also what is not about to expire. */
  readonly force: boolean;
  /** The version that the provider refused: `force` ends where the connection has another by now. */
  readonly refusedVersion?: number;
}

/**
 * Credentials to call the provider with, renewed when they are about to expire or `force` asks for it.
 * Throws invalid_credentials, connection_refresh_backoff, integration_misconfigured or
 * refresh_in_progress, quarantined or connection_frozen when there are none; a token that is still valid is handed out instead.
 */
export async function getFreshCredentials(
  ctx: EnvironmentContext,
  { connection: known, integration, force: isForced, refusedVersion }: FreshnessRequest,
): Promise<FreshCredentials> {
  // What counts as a change to a forced caller depends on the current state of the row.
  const connection = isForced ? await getConnectionByUuid(ctx, known.uuid) : known;
  // Renewed once more, the tokens that other calls have just taken would end.
  const isRenewed = refusedVersion !== undefined && connection.credentialVersion !== refusedVersion;
  const force = isForced && !isRenewed;
  requireUnfrozen(connection);
  const { refresh } = getAuthMode(connection.authMode);
  if (refresh === undefined) return await hold(ctx, connection);
  const now = ctx.clock.now();
  const mayServeOld = !force && isUsable(connection, now);
  if (!force) {
    if (!isRefreshDue(connection, now, refreshMarginMs(integration)))
      return await hold(ctx, connection);
    const problem = standingProblem(connection, integration, now);
    if (problem !== undefined && mayServeOld) return await hold(ctx, connection);
    if (problem !== undefined) throw toRefreshError(connection, problem, now);
  }
  const held = force ? await hold(ctx, connection) : undefined;
  // Nothing to renew yet: the provider's webhook brings the first token.
  if (held?.credentials["pending"] === true) return held;
  if (ctx.settings.quarantine.since !== undefined) {
    if (mayServeOld) return await hold(ctx, connection);
    throw toQuarantineError(connection);
  }
  const patienceMs = mayServeOld ? PATIENCE_WITH_USABLE_TOKEN_MS : ctx.settings.refreshPatienceMs;
  const mayHurry = force || isCorrected(connection.refresh.failure, integration);
  const input = { connection, integration, refresh, force: mayHurry };
  const outcome = await inTime(patienceMs, shareAttempts(ctx, input), ctx.signal);
  if (outcome?.kind === "renewed") return await hold(ctx, outcome.connection);
  if (outcome?.kind === "gone") throw new AppError("unknown_connection");
  if (!force && isUsable(connection, ctx.clock.now())) return await hold(ctx, connection);
  if (outcome === undefined) {
    throw new AppError("refresh_in_progress", undefined, { headers: { "Retry-After": "1" } });
  }
  throw toRefreshError(outcome.connection, outcome.problem, ctx.clock.now());
}

async function hold(ctx: EnvironmentContext, connection: Connection): Promise<FreshCredentials> {
  requireUnfrozen(connection);
  return { connection, credentials: await openCredentials(ctx, connection) };
}

/** Attempts that run in this process, by connection. */
const running = serverState(() => new Map<ConnectionUuid, Promise<RefreshOutcome>>());

/** One attempt serves all who ask while it runs; a forced caller tries again if it brought nothing new. */
async function shareAttempts(ctx: EnvironmentContext, input: RenewInput): Promise<RefreshOutcome> {
  for (let round = 1; ; round += 1) {
    const outcome = await joinAttempt(ctx, input);
    if (!input.force || round === 3 || isNewer(outcome, input.connection)) return outcome;
  }
}

function isNewer(outcome: RefreshOutcome, known: Connection): boolean {
  if (outcome.kind === "gone") return true;
  if (outcome.kind === "failed") return outcome.problem.fence !== known.refresh.failure?.fence;
  return outcome.connection.credentialVersion !== known.credentialVersion;
}

/** The attempt that runs in this process, or a new one. */
export function joinAttempt(ctx: EnvironmentContext, input: RenewInput): Promise<RefreshOutcome> {
  assert(ctx.settings.quarantine.since === undefined, "another copy may renew these credentials");
  // An attempt outlives its callers, and what it stores must not hang on their transaction.
  assert(!ctx.db.isTransaction, "credentials are renewed outside of transactions");
  const attempts = running.of(ctx);
  const { uuid } = input.connection;
  const known = attempts.get(uuid);
  if (known !== undefined) return known;
  const own = { ...ctx, signal: new AbortController().signal };
  const attempt = renewInSight(own, input).finally(() => attempts.delete(uuid));
  attempts.set(uuid, attempt);
  return attempt;
}

/** After it no call of this process takes the token before, which the provider may have ended at once. */
async function renewInSight(ctx: EnvironmentContext, input: RenewInput): Promise<RefreshOutcome> {
  const outcome = await renewCredentials(ctx, input);
  if (outcome.kind === "renewed") await catchUpCaches(ctx);
  return outcome;
}

/** Waits until no refresh runs in this process: an answer that is lost may have been the only one. */
export async function finishRefreshes(ctx: Pick<EnvironmentContext, "state">): Promise<void> {
  await Promise.allSettled(running.of(ctx).values());
}
