import { type OperationId, timeOfId } from "#foundation";
import { roundMs } from "../call-timing.ts";
import type { Meta } from "../operation.ts";

/** Where the time of a run of a function went, by its last attempt; spans in milliseconds. */
export interface RunTiming {
  /** When the attempt began. */
  readonly startedAt: Date;
  /** From the moment the run was due until a worker took it; 0 for what is not queued. */
  readonly queueMs: number;
  /** For a process. */
  readonly waitMs: number;
  /** What follows is absent where the function never began. */
  readonly startMs?: number;
  /** The process had to load the function first, and perhaps to start. */
  readonly isCold?: boolean;
  readonly functionMs?: number;
  /** Absent without any; `afterMs`: from the function's beginning to the first of them. */
  readonly saves?: { readonly count: number; readonly afterMs: number; readonly ms: number };
}

/** As a log row stores it, under `run_timing` of its `meta`. */
export function toRunTimingMeta(id: OperationId, timing: RunTiming | undefined): Meta {
  if (timing === undefined) return {};
  const { startedAt, queueMs, waitMs, startMs, isCold, functionMs, saves } = timing;
  const stored = {
    queue: roundMs(queueMs),
    before: Math.max(0, startedAt.getTime() - timeOfId(id).getTime()),
    wait: roundMs(waitMs),
    ...(startMs !== undefined && { start: roundMs(startMs) }),
    ...(isCold === true && { cold: true }),
    ...(functionMs !== undefined && { function: roundMs(functionMs) }),
    ...(saves && { saves: [saves.count, roundMs(saves.afterMs), roundMs(saves.ms)] }),
  };
  return { run_timing: stored };
}

type Json = Readonly<Record<string, unknown>> | null;

/** The phases of a run, and what of its `meta` is not about them; null for what was not timed. */
export function splitPhases(meta: Json) {
  const { run_timing: stored, ...others } = meta ?? {};
  const rest = Object.keys(others).length === 0 ? null : others;
  if (typeof stored !== "object" || stored === null) return { phases: null, meta: rest };
  const { queue, before, wait, start, cold, function: ran, saves } = Object(stored);
  const hasBegun = ran !== undefined;
  const phases = {
    queue_ms: toWhole(queue),
    before_ms: toWhole(before),
    process_wait_ms: toWhole(wait),
    process_start_ms: hasBegun ? toWhole(start) : null,
    is_cold: hasBegun ? cold === true : null,
    function_ms: hasBegun ? toWhole(ran) : null,
    saves: Array.isArray(saves) ? presentSaves(saves) : null,
  };
  return { phases, meta: rest };
}

function presentSaves([count, after, ms]: readonly unknown[]) {
  return { count: toWhole(count), after_ms: toWhole(after), busy_ms: toWhole(ms) };
}

function toWhole(value: unknown): number {
  return Math.round(Number(value ?? 0));
}
