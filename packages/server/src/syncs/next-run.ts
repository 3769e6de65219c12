import type { RunError } from "@jackfield/contract/runtime";
import { addMs, MINUTE, SECOND } from "#platform";
import type { RunOutcome } from "./end-run.ts";
import { addResults, type NextRun, type Run, type Sync } from "./sync.ts";

/** Waits before a run that failed for a passing reason is tried again (decisions 71). */
export const RETRY_AFTER_MS: readonly number[] = [10 * SECOND, MINUTE, 5 * MINUTE];

export interface PlannedRun {
  readonly followUp: NextRun;
  readonly at: Date;
}

type EndedRun = Pick<Run, "trigger" | "cancelRequestedAt" | "startedAt" | "result">;
type EndedSync = Pick<Sync, "followUp" | "paused" | "deletedAt" | "intervalMs" | "anchoredAt">;

/** The run that follows before the next slot; undefined where the slot comes next. */
export function planNext(
  run: EndedRun,
  sync: EndedSync,
  { outcome, now }: { outcome: RunOutcome; now: Date },
): PlannedRun | undefined {
  if (sync.deletedAt !== null) return undefined;
  const continuation = continue_(run, outcome);
  if (sync.followUp !== null) {
    const { reset, emptyCache } = sync.followUp;
    const wish = { by: "trigger", reset, emptyCache: reset && emptyCache } as const;
    return { followUp: { ...wish, ...(reset ? {} : continuation) }, at: now };
  }
  if (outcome.kind === "interrupted" && continuation !== undefined) {
    return { followUp: { by: "interruption", ...nothingFirst, ...continuation }, at: now };
  }
  return planRetry(run, sync, { outcome, now });
}

const nothingFirst = { reset: false, emptyCache: false };

function continue_(run: EndedRun, { kind }: RunOutcome) {
  if (kind !== "interrupted" || run.cancelRequestedAt !== null) return undefined;
  return originOf(run);
}

/** It may have saved a checkpoint: what comes after it began must not count as synced. */
function originOf({ trigger, startedAt }: EndedRun): { continuedFrom: string } | undefined {
  const continuedFrom = trigger.continuedFrom ?? startedAt?.toISOString();
  return continuedFrom === undefined ? undefined : { continuedFrom };
}

function planRetry(
  run: EndedRun,
  sync: EndedSync,
  { outcome, now }: { outcome: RunOutcome; now: Date },
): PlannedRun | undefined {
  if (outcome.kind !== "failed" || sync.paused || !isPassing(outcome.error)) return undefined;
  const { retry = 0, untold = {} } = run.trigger;
  const waitMs = RETRY_AFTER_MS[retry];
  if (waitMs === undefined) return undefined;
  const at = addMs(now, waitMs);
  if (at >= nextSlotAfter(now, sync)) return undefined;
  const again = { retry: retry + 1, untold: addResults(untold, run.result) };
  return { followUp: { by: "retry", ...nothingFirst, ...again, ...originOf(run) }, at };
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
