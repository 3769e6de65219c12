import type { DevCall, DevLogLine, DevRun, DevSave } from "@jackfield/contract";
import type { Bar } from "../parts/waterfall/bar.ts";

/** What a run did, at its place on the run's time line. */
export interface RunBar extends Bar {
  /** From the start of the run. */
  readonly atMs: number;
  readonly what: DevCall | DevSave | DevLogLine;
}

type Timed = Pick<DevRun, "ranMs" | "calls" | "saves" | "log">;

const kinds = { debug: "own", info: "own", warn: "retry", error: "failed" } as const;
const LEAST_MS = 1;

/** Calls, saves of records and lines of the log, in the order in which they began. */
export function layOutRun({ ranMs, calls, saves, log }: Timed): RunBar[] {
  const whole = Math.max(ranMs, LEAST_MS);
  const share = (at: number) => Math.min(Math.max(at / whole, 0), 1);
  const momentOf = (atMs: number) => ({ atMs, from: share(atMs), to: share(atMs) });
  const bars: RunBar[] = [
    ...calls.map((call, place) => ({
      id: `call ${place}`,
      what: call,
      atMs: call.startedMs,
      from: share(call.startedMs),
      to: share(call.startedMs + call.tookMs),
      milliseconds: call.tookMs,
      kind: call.isGood ? ("call" as const) : ("failed" as const),
      ...(call.status === undefined ? {} : { answer: String(call.status) }),
    })),
    ...saves.map((save, place) => ({
      ...{ id: `save ${place}`, what: save, kind: "saved" as const },
      ...momentOf(save.atMs),
    })),
    ...log.map((line, place) => ({
      ...{ id: `log ${place}`, what: line, kind: kinds[line.level] },
      ...momentOf(line.atMs),
    })),
  ];
  return bars.toSorted((a, b) => a.atMs - b.atMs);
}
