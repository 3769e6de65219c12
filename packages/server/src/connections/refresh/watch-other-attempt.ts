import { Doorbell, type EnvironmentContext, SECOND } from "#platform";
import { CHANGES } from "#platform/cache";
import { standingProblem } from "../connection.ts";
import { requireUnfrozen } from "../freeze/require-unfrozen.ts";
import { isKnownDead } from "./lease-owner.ts";
import type { RefreshOutcome, RenewInput } from "./refresh-outcome.ts";
import { findRefresh } from "./store.ts";

/** No attempt runs, and the last one has left no result. */
export interface Vacancy {
  readonly kind: "vacant";
  /** Whose lease may be broken: the process has died. */
  readonly deadOwner: string | undefined;
}

const FIRST_LOOK_MS = 25;
const LONGEST_LOOK_MS = 500;
// An announcement wakes sooner; only the death of the process that would make it needs this.
const LOOK_WHILE_LISTENING_MS = 2 * SECOND;

/** Waits until the attempt of another process ends. */
export async function watchOtherAttempt(
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
