import { setTimeout as sleep } from "node:timers/promises";
import { type AuthMode, type Minted, RefreshFailure } from "#auth-modes";
import { type Integration, toAuthSubject } from "#integrations";
import { finishOperation, startOperation } from "#logs";
import { AppError, type EnvironmentContext, type OperationId, SECOND } from "#platform";
import { withTransaction } from "#platform/db";
import { type Connection, nextAttemptAt, type RefreshProblem } from "../connection.ts";
import { openCredentials, sealCredentials } from "../sealed-credentials.ts";
import { sendAuthWebhook } from "../send-auth-webhook.ts";
import { subjectOf } from "../subject-of.ts";
import {
  type Attempt,
  claimRefresh,
  findRefresh,
  releaseRefresh,
  storeFailure,
  storeRenewed,
  storeRevocation,
} from "./store.ts";

/** How an attempt ended, whoever made it. */
export type RefreshOutcome =
  | { readonly kind: "renewed"; readonly connection: Connection }
  | { readonly kind: "failed"; readonly connection: Connection; readonly problem: RefreshProblem }
  | { readonly kind: "gone" };

export interface RenewInput {
  readonly connection: Connection;
  readonly integration: Integration;
  readonly refresh: NonNullable<AuthMode["refresh"]>;
  /** Attempts even when the last failure says to wait. */
  readonly force: boolean;
}

// Giving up after the provider has rotated would lose the token, so the attempt is patient: 60 s for
// the token endpoint, a little more for all of it. The lease outlives it: two attempts never overlap.
const UPSTREAM_DEADLINE_MS = 65 * SECOND;
const LEASE_MS = 75 * SECOND;

/** Renews the credentials once, however many processes ask; waits for an attempt that runs elsewhere. */
export async function renewCredentials(
  ctx: EnvironmentContext,
  input: RenewInput,
): Promise<RefreshOutcome> {
  const { uuid, credentialVersion: version } = input.connection;
  for (;;) {
    const claimed = await claimRefresh(ctx.db, ctx.environment.id, {
      uuid,
      version,
      leaseMs: LEASE_MS,
      now: ctx.clock.now(),
      force: input.force,
    });
    if (claimed !== undefined) return await renewUnderLease(ctx, { ...input, connection: claimed });
    const outcome = await watchOtherAttempt(ctx, input.connection);
    if (outcome !== undefined) return outcome;
    await sleep(Math.random() * 50);
  }
}

/** Waits until the attempt of another process ends; undefined when it ended without a result. */
async function watchOtherAttempt(
  ctx: EnvironmentContext,
  { uuid, credentialVersion, refresh }: Connection,
): Promise<RefreshOutcome | undefined> {
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 1.5, 500)) {
    const watched = await findRefresh(ctx.db, ctx.environment.id, uuid);
    if (watched === undefined) return { kind: "gone" };
    const { connection, isRunning } = watched;
    if (connection.credentialVersion !== credentialVersion) return { kind: "renewed", connection };
    if (!isRunning) {
      const problem = connection.refresh.failure;
      const isNews = problem !== undefined && problem.fence !== refresh.failure?.fence;
      return isNews ? { kind: "failed", connection, problem } : undefined;
    }
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

async function renewUnderLease(
  ctx: EnvironmentContext,
  input: RenewInput,
): Promise<RefreshOutcome> {
  const { connection, integration } = input;
  const attempt: Attempt = {
    uuid: connection.uuid,
    version: connection.credentialVersion,
    fence: connection.refresh.fence,
  };
  try {
    const operationId = await startOperation(ctx, {
      type: "auth",
      action: "refresh_token",
      message: "Renew the credentials",
      ...subjectOf(integration, connection),
    });
    const outcome = await attemptRenewal(ctx, input, attempt, operationId);
    await finishOperation(ctx, toOperationEnd(operationId, outcome));
    return outcome;
  } catch (error) {
    // Where the database is what failed, the lease ends by itself.
    await releaseRefresh(ctx.db, ctx.environment.id, attempt).catch(() => undefined);
    throw error;
  }
}

async function attemptRenewal(
  ctx: EnvironmentContext,
  input: RenewInput,
  attempt: Attempt,
  operationId: OperationId,
): Promise<RefreshOutcome> {
  const issuedAt = ctx.clock.now();
  let minted: Minted;
  try {
    minted = await requestRenewal(ctx, input, issuedAt);
  } catch (error) {
    return await settleFailure(ctx, input, attempt, operationId, error);
  }
  // TODO(#3): write the answer to the encrypted spool file here, before the database.
  const sealedCredentials = await sealCredentials(ctx, attempt.uuid, minted.credentials);
  const { expiresAt, capturedConfig } = minted;
  const renewed = { sealedCredentials, issuedAt, expiresAt, capturedConfig };
  const stored = await storeRenewed(ctx.db, ctx.environment.id, attempt, renewed);
  if (stored !== undefined) return { kind: "renewed", connection: stored };
  return await readOverridden(ctx, attempt);
}

async function requestRenewal(
  ctx: EnvironmentContext,
  { connection, integration, refresh }: RenewInput,
  now: Date,
): Promise<Minted> {
  const subject = await toAuthSubject(ctx, integration, connection.connectionConfig);
  const credentials = await openCredentials(ctx, connection);
  const signal = AbortSignal.timeout(UPSTREAM_DEADLINE_MS);
  return await refresh(subject, credentials, { http: ctx.http, now, signal });
}

/** The credentials were replaced or deleted while the provider answered: what is there now counts. */
async function readOverridden(ctx: EnvironmentContext, attempt: Attempt): Promise<RefreshOutcome> {
  const current = await findRefresh(ctx.db, ctx.environment.id, attempt.uuid);
  if (current === undefined) return { kind: "gone" };
  return { kind: "renewed", connection: current.connection };
}

async function settleFailure(
  ctx: EnvironmentContext,
  input: RenewInput,
  attempt: Attempt,
  operationId: OperationId,
  error: unknown,
): Promise<RefreshOutcome> {
  const problem = toProblem(error, attempt);
  if (problem.kind === "internal") {
    ctx.log.error("connection.refresh_failed", { connection: attempt.uuid, error });
  }
  const stored =
    problem.kind === "revoked"
      ? await settleRevocation(ctx, input, attempt, operationId, problem)
      : await storeFailure(ctx.db, ctx.environment.id, attempt, {
          problem,
          notBefore: nextAttemptAt(ctx.clock.now(), {
            failures: input.connection.refresh.failures,
            retryAfterMs: error instanceof RefreshFailure ? error.retryAfterMs : undefined,
          }),
        });
  if (stored === undefined) return await readOverridden(ctx, attempt);
  return { kind: "failed", connection: stored, problem };
}

const misconfigured: ReadonlySet<string> = new Set([
  "destination_not_allowed",
  "integration_misconfigured",
]);

function toProblem(error: unknown, { fence }: Attempt): RefreshProblem {
  if (error instanceof RefreshFailure) {
    return { kind: error.kind, message: error.message, fence };
  }
  if (error instanceof AppError && misconfigured.has(error.code)) {
    return { kind: "misconfigured", message: error.message, fence };
  }
  if (error instanceof AppError && error.code.startsWith("upstream_")) {
    return { kind: "unavailable", message: error.message, fence };
  }
  return { kind: "internal", message: "Something failed on our side.", fence };
}

/** The first time also tells the customer, in the same transaction. */
async function settleRevocation(
  ctx: EnvironmentContext,
  { integration }: RenewInput,
  attempt: Attempt,
  operationId: OperationId,
  problem: RefreshProblem,
): Promise<Connection | undefined> {
  return await withTransaction(ctx, async (ctx) => {
    const stored = await storeRevocation(ctx.db, ctx.environment.id, attempt, {
      problem,
      error: { type: "auth", log_id: operationId },
      now: ctx.clock.now(),
    });
    if (stored?.isFirst === true) {
      await sendAuthWebhook(ctx, {
        operation: "refresh",
        integration,
        connection: stored.connection,
        error: { type: "invalid_credentials", description: problem.message },
        operationId,
      });
    }
    return stored?.connection;
  });
}

function toOperationEnd(id: OperationId, outcome: RefreshOutcome) {
  if (outcome.kind !== "failed") return { id, state: "success" } as const;
  const { kind, message } = outcome.problem;
  return { id, state: "failed", error: { type: kind, message } } as const;
}
