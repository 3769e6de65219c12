import { setTimeout as sleep } from "node:timers/promises";
import {
  Doorbell,
  type EnvironmentContext,
  newTimeId,
  type OperationId,
  SECOND,
} from "#foundation";
import { CHANGES } from "#foundation/cache";
import { defineCounter, traced } from "#foundation/instruments";
import type { Integration } from "#integrations";
import { recordOperation } from "#logs";
import { isRefreshDue, standingProblem } from "../connection.ts";
import { requireUnfrozen } from "../freeze/require-unfrozen.ts";
import { stageFieldsOf } from "../read/stage-fields.ts";
import { refreshMarginMs } from "../renewal-times.ts";
import { subjectOf } from "../subject-of.ts";
import { attemptRenewal } from "./attempt-renewal.ts";
import { isKnownDead, leaseOwner } from "./lease-owner.ts";
import {
  type AttemptInput,
  type RefreshOutcome,
  type RenewInput,
  refreshOperation,
} from "./refresh-outcome.ts";
import { recoverAnswer } from "./replay-spool.ts";
import { readEntry } from "./spool.ts";
import { claimRefresh, findRefresh, releaseRefresh } from "./store.ts";

const refreshes = defineCounter({
  name: "svc_refreshes_total",
  help: "Token refreshes by provider; environments' own providers are `custom`.",
  unit: "{attempt}",
  labels: ["provider", "outcome"],
});

// Longer than an attempt takes at most (65 s for the provider): two never overlap.
const LEASE_MS = 75 * SECOND;

/** Renews the credentials once, however many processes ask; waits for an attempt that runs elsewhere. */
export async function renewCredentials(
  ctx: EnvironmentContext,
  input: RenewInput,
): Promise<RefreshOutcome> {
  const { uuid, credentialVersion: version } = input.connection;
  let deadOwner: string | undefined;
  for (;;) {
    const leaseEndsAt = performance.now() + LEASE_MS;
    const claimed = await claimRefresh(ctx.db, ctx.environment.id, {
      uuid,
      version,
      leaseMs: LEASE_MS,
      owner: leaseOwner,
      deadOwner,
      now: ctx.clock.now(),
      force: input.force,
    });
    if (claimed !== undefined) {
      const fence = claimed.refresh.fence;
      const attempt = { uuid, version: claimed.credentialVersion, fence };
      return await renewUnderLease(ctx, { ...input, connection: claimed, attempt, leaseEndsAt });
    }
    const watched = await watchOtherAttempt(ctx, input);
    if (watched.kind !== "vacant") return watched;
    deadOwner = watched.deadOwner;
    await sleep(Math.random() * 50);
  }
}

type LeasedInput = RenewInput & Pick<AttemptInput, "attempt" | "leaseEndsAt">;

async function renewUnderLease(
  ctx: EnvironmentContext,
  input: LeasedInput,
): Promise<RefreshOutcome> {
  try {
    const recovered = await recoverAnswer(ctx, input.attempt);
    if (recovered !== undefined) {
      const renewed = { ...input, connection: recovered };
      const marginMs = refreshMarginMs(input.integration);
      const isEnough = !input.force && !isRefreshDue(recovered, ctx.clock.now(), marginMs);
      if (isEnough) return { kind: "renewed", connection: recovered };
      return await renewCredentials(ctx, renewed);
    }
    return (await logAttempt(ctx, input)) ?? (await renewCredentials(ctx, input));
  } catch (error) {
    // An answer that waits here to be stored has replaced the token with which another host would ask.
    const key = { ...input.attempt, environmentId: ctx.environment.id };
    const isKept = await readEntry(ctx, key).then(
      (entry) => entry !== undefined,
      () => true,
    );
    // Where the database is what failed, the lease ends by itself.
    if (!isKept) {
      await releaseRefresh(ctx.db, ctx.environment.id, input.attempt).catch(() => undefined);
    }
    throw error;
  }
}

async function logAttempt(
  ctx: EnvironmentContext,
  input: LeasedInput,
): Promise<RefreshOutcome | undefined> {
  const startedAt = ctx.clock.now();
  const id = newTimeId<OperationId>(startedAt);
  const operation = { ...refreshOperation, ...subjectOf(input.integration, input.connection) };
  try {
    const outcome = await tracedAttempt(ctx, { ...input, operationId: id });
    recordOperation(ctx, { ...operation, id, startedAt, ...toOperationEnd(outcome) });
    countRefresh(input.integration, outcome?.kind ?? "taken_over");
    return outcome;
  } catch (thrown) {
    const error = { type: "internal", message: "Something failed on our side." };
    countRefresh(input.integration, "error");
    recordOperation(ctx, { ...operation, id, startedAt, state: "failed", error });
    throw thrown;
  }
}

/** What is asked of the token endpoint and of the database is below it in the trace. */
async function tracedAttempt(
  ctx: EnvironmentContext,
  input: AttemptInput,
): Promise<RefreshOutcome | undefined> {
  const { connection, integration } = input;
  const work = {
    name: "refresh credentials",
    codeOf: () => "internal",
    attributes: {
      "svc.provider": providerOf(integration),
      "svc.environment.id": ctx.environment.id,
      "svc.connection.id": connection.uuid,
    },
  };
  return await traced(ctx, work, async (inner) => {
    const outcome = await attemptRenewal(inner, input);
    if (outcome?.kind === "failed") inner.trace.fail(outcome.problem.kind);
    return outcome;
  });
}

function toOperationEnd(outcome: RefreshOutcome | undefined) {
  if (outcome?.kind !== "failed") return { state: "success" } as const;
  const { problem } = outcome;
  const error = { type: problem.kind, message: problem.message, ...stageFieldsOf(problem) };
  return { state: "failed", error } as const;
}

/** One attempt: `gone` where the connection was deleted meanwhile, `error` where something of ours failed. */
function countRefresh(
  integration: Integration,
  outcome: RefreshOutcome["kind"] | "error" | "taken_over",
): void {
  refreshes.add(1, { provider: providerOf(integration), outcome });
}

/** As metrics and traces name it: those of environments' own are one. */
function providerOf({ provider, definition }: Integration): string {
  return definition === undefined ? provider : "custom";
}

/** No attempt runs, and the last one has left no result. */
interface Vacancy {
  readonly kind: "vacant";
  /** Whose lease may be broken: the process has died. */
  readonly deadOwner: string | undefined;
}

const FIRST_LOOK_MS = 25;
const LONGEST_LOOK_MS = 500;
// An announcement wakes sooner; only the death of the process that would make it needs this.
const LOOK_WHILE_LISTENING_MS = 2 * SECOND;

/** Waits until the attempt of another process ends. */
async function watchOtherAttempt(
  ctx: EnvironmentContext,
  { connection: known, integration, force }: RenewInput,
): Promise<RefreshOutcome | Vacancy> {
  const { uuid, credentialVersion, refresh } = known;
  const doorbell = new Doorbell();
  using _subscription = ctx.notices.subscribe(CHANGES, (row) => {
    if (row === undefined || row === `connections ${uuid}`) doorbell.ring();
  });
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_LOOK_MS)) {
    const watched = await findRefresh(ctx.db, ctx.environment.id, uuid);
    if (watched === undefined) return { kind: "gone" };
    const { connection, isRunning, owner } = watched;
    requireUnfrozen(connection);
    if (connection.credentialVersion !== credentialVersion) return { kind: "renewed", connection };
    if (!isRunning) {
      const { failure } = connection.refresh;
      const later = failure?.fence === refresh.failure?.fence ? undefined : failure;
      // A problem that persists refuses the next claim as well.
      const standing = force
        ? undefined
        : standingProblem(connection, integration, ctx.clock.now());
      const problem = later ?? standing;
      if (problem !== undefined) return { kind: "failed", connection, problem };
      return { kind: "vacant", deadOwner: undefined };
    }
    if (owner !== undefined && isKnownDead(owner)) return { kind: "vacant", deadOwner: owner };
    const longestMs = ctx.notices.isListening ? LOOK_WHILE_LISTENING_MS : pauseMs;
    await doorbell.wait(longestMs * (0.5 + Math.random()));
  }
}
