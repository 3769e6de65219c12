import { ProviderFailure, providerErrorOf, stageFactsOf } from "#auth-modes";
import { AppError, addMs, type EnvironmentContext, HOUR } from "#foundation";
import { findDatabaseAway, withTransaction } from "#foundation/db";
import { type Connection, nextAttemptAt, type RefreshProblem } from "../connection.ts";
import { stageFieldsOf } from "../read/stage-fields.ts";
import { sendAuthWebhook } from "../send-auth-webhook.ts";
import type { AttemptInput, RefreshOutcome } from "./refresh-outcome.ts";
import { storeFailure, storeRevocation } from "./store.ts";

/** Stores why no credentials came; undefined when another attempt or the customer was faster. */
export async function settleFailure(
  ctx: EnvironmentContext,
  input: AttemptInput,
  error: unknown,
): Promise<RefreshOutcome | undefined> {
  const problem = withSince(toProblem(error, input, ctx.clock.now()), input);
  if (problem.kind === "internal") {
    ctx.log.error("connection.refresh_failed", { connection: input.attempt.uuid, error });
  }
  const stored =
    problem.kind === "revoked"
      ? await settleRevocation(ctx, input, problem)
      : await settleBackoff(ctx, input, problem, error);
  return stored === undefined ? undefined : { kind: "failed", connection: stored, problem };
}

/** A failure of the same kind as the one before began with it. */
function withSince(problem: RefreshProblem, { connection }: AttemptInput): RefreshProblem {
  const { failure } = connection.refresh;
  const isSame = failure?.kind === problem.kind;
  return { ...problem, since: isSame ? (failure.since ?? failure.at) : problem.at };
}

const misconfigured: ReadonlySet<string> = new Set([
  "destination_not_allowed",
  "integration_misconfigured",
]);

// A success without a token may be a hiccup; after three in a row it is how this server answers.
const MAX_ANSWERS_WITHOUT_TOKEN = 3;

function toProblem(
  error: unknown,
  { attempt, connection }: AttemptInput,
  now: Date,
): RefreshProblem {
  const providerError = providerErrorOf(error);
  const facts = {
    ...{ fence: attempt.fence, at: now.toISOString(), ...stageFactsOf(error) },
    ...(providerError === undefined ? {} : { providerError }),
  };
  if (error instanceof ProviderFailure && error.kind !== "refused") {
    const { kind, message } = error;
    if (!error.withoutToken) return { kind, message, ...facts };
    const answersWithoutToken = (connection.refresh.failure?.answersWithoutToken ?? 0) + 1;
    const isLasting = answersWithoutToken > MAX_ANSWERS_WITHOUT_TOKEN;
    return { kind: isLasting ? "misconfigured" : kind, message, ...facts, answersWithoutToken };
  }
  if (error instanceof AppError && misconfigured.has(error.code)) {
    return { kind: "misconfigured", message: error.message, ...facts };
  }
  if (error instanceof AppError && error.code.startsWith("upstream_")) {
    return { kind: "unavailable", message: error.message, ...facts };
  }
  if (findDatabaseAway(error) !== undefined) {
    return { kind: "unavailable", message: "The server's database was away.", ...facts };
  }
  return { kind: "internal", message: "Something failed on our side.", ...facts };
}

// Credentials that nobody asks for need not be tried at every back-off.
const IDLE_RETRY_MS = HOUR;

async function settleBackoff(
  ctx: EnvironmentContext,
  { attempt, connection }: AttemptInput,
  problem: RefreshProblem,
  error: unknown,
): Promise<Connection | undefined> {
  const now = ctx.clock.now();
  const { retryAfterMs, wasHeldBack: isHostPaused } =
    error instanceof ProviderFailure ? error : { retryAfterMs: undefined, wasHeldBack: false };
  // A pause of the host is not counted: the connection itself was not tried.
  const isCounted = !isHostPaused;
  const failures = isCounted ? connection.refresh.failures : 0;
  return await storeFailure(ctx.db, ctx.environment.id, attempt, {
    problem,
    isCounted,
    notBefore: nextAttemptAt(now, { failures, retryAfterMs }),
    nextIdleAt: addMs(now, IDLE_RETRY_MS),
  });
}

/** The first time also tells the customer, in the same transaction. */
async function settleRevocation(
  ctx: EnvironmentContext,
  { integration, attempt, operationId }: AttemptInput,
  problem: RefreshProblem,
): Promise<Connection | undefined> {
  return await withTransaction(ctx, async (ctx) => {
    const stored = await storeRevocation(ctx.db, ctx.environment.id, attempt, {
      problem,
      error: { type: "auth", log_id: operationId, ...stageFieldsOf(problem) },
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
