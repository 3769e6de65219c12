import type { ItemState, Outcome } from "../revocation.ts";
import type { AttemptAnswer } from "./attempt.ts";

export interface Verdict {
  readonly state: Exclude<ItemState, "waiting" | "released">;
  readonly outcome: Outcome;
}

/** What has become of a connection by what its provider answered; `later` where asking again may help. */
export function decide(
  attempted: readonly AttemptAnswer[],
  {
    isRehearsal,
    isLast,
    isReadThrough,
  }: { isRehearsal: boolean; isLast: boolean; isReadThrough: boolean },
): Verdict | "later" {
  const answers = attempted.map(({ isPassing: _, heldUntilMs: _held, ...answer }) => answer);
  if (answers.length === 0) {
    return { state: "not_withdrawable", outcome: { reason: "no_revocation_endpoint", answers } };
  }
  const failed = attempted.find(({ isWithdrawn }) => !isWithdrawn);
  const asked = attempted.every(({ host }) => host !== null);
  if (failed === undefined || (isRehearsal && asked)) {
    if (!isReadThrough) return { state: "withdrawn", outcome: { reason: null, answers } };
    return { state: "partly_withdrawn", outcome: { reason: "held_by_old_platform", answers } };
  }
  if (failed.isPassing && !isLast) return "later";
  const isPartly = attempted.some(({ isWithdrawn }) => isWithdrawn);
  return {
    state: isPartly ? "partly_withdrawn" : "failed",
    outcome: { reason: reasonOf(failed), answers },
  };
}

function reasonOf({ host, status, heldUntilMs }: AttemptAnswer): string {
  if (host === null) return "not_asked";
  if (status === null)
    return heldUntilMs === undefined ? "provider_unreachable" : "provider_paused";
  return status >= 500 || status === 429 || status === 408 ? "provider_error" : "provider_refused";
}
