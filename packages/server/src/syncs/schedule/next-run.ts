import type { RunError } from "@jackfield/contract/runtime";
import { addMs, MINUTE, SECOND } from "#foundation";
import type { RunOutcome } from "../runs/end-states.ts";
import type { NextRun, Run, Sync } from "../sync.ts";

/** Waits before a run that failed for a passing reason is tried again. */
export const RETRY_AFTER_MS: readonly number[] = [10 * SECOND, MINUTE, 5 * MINUTE];

export interface PlannedRun {
  readonly followUp: NextRun;
  readonly at: Date;
}

type EndedRun = Pick<Run, "trigger" | "cancelRequestedAt">;
type EndedSync = Pick<Sync, "followUp" | "paused" | "deletedAt" | "intervalMs" | "anchoredAt">;

interface End {
  readonly outcome: RunOutcome;
  readonly now: Date;
  /** It failed for want of credentials, which have come meanwhile. */
  readonly isRenewed?: boolean;
}

/** The run that follows before the next slot; undefined where the slot comes next. */
export function planNext(run: EndedRun, sync: EndedSync, end: End): PlannedRun | undefined {
  const { outcome, now } = end;
  if (sync.deletedAt !== null) return undefined;
  if (sync.followUp !== null) {
    const { reset, emptyCache } = sync.followUp;
    return { followUp: { by: "trigger", reset, emptyCache: reset && emptyCache }, at: now };
  }
  if (outcome.kind === "interrupted" && run.cancelRequestedAt === null) {
    return { followUp: { by: "interruption", reset: false, emptyCache: false }, at: now };
  }
  return planRetry(run, sync, end);
}

function planRetry(
  { trigger }: EndedRun,
  sync: EndedSync,
  { outcome, now, isRenewed = false }: End,
): PlannedRun | undefined {
  if (outcome.kind !== "failed" || sync.paused) return undefined;
  if (!isRenewed && !isPassing(outcome.error)) return undefined;
  const { retry = 0, emptyCache = false } = trigger;
  const waitMs = RETRY_AFTER_MS[retry];
  if (waitMs === undefined) return undefined;
  const at = isRenewed ? now : retryTime(outcome.error, addMs(now, waitMs));
  if (at >= nextSlotAfter(now, sync)) return undefined;
  // Set as long as the records have not been removed.
  return { followUp: { by: "retry", reset: false, emptyCache, retry: retry + 1 }, at };
}

/** Not before what failed is tried again: until then the run would fail in the same way. */
function retryTime({ retryAt }: RunError, earliest: Date): Date {
  const named = new Date(retryAt ?? 0);
  return named > earliest ? named : earliest;
}

/** First point of the grid `anchor + n * interval` after `now`. */
export function nextSlotAfter(
  now: Date,
  { intervalMs, anchoredAt }: Pick<Sync, "intervalMs" | "anchoredAt">,
): Date {
  const passed = Math.floor((now.getTime() - anchoredAt.getTime()) / intervalMs);
  return addMs(anchoredAt, (passed + 1) * intervalMs);
}

const passingTypes: ReadonlySet<string> = new Set([
  "script_network_error",
  "script_api_rate_limit_error",
  "server_error",
  "overloaded",
  "too_many_request",
  "connection_refresh_backoff",
  "refresh_in_progress",
  "upstream_unreachable",
  "upstream_dns_error",
  "upstream_timeout",
  "upstream_circuit_open",
]);
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether the failure is ours or one of the provider's that time may mend; not a fault of the function. */
export function isPassing({ type, upstream }: RunError): boolean {
  if (upstream === undefined) return passingTypes.has(type);
  return upstream.status >= 500 || passingStatuses.has(upstream.status);
}
