import type { Forward, HostCall } from "@jackfield/functions/test-kit";
import * as z from "zod";

export interface CallTiming {
  readonly startedMs: number;
  readonly tookMs: number;
}

/** Records that a run handed over at one moment. */
export interface SaveMoment {
  readonly change: "saved" | "updated" | "deleted";
  readonly model: string;
  readonly count: number;
  readonly atMs: number;
}

/** What a run did when, in milliseconds from its start. */
export interface RunTimes {
  /** In the order in which the calls were made, which is that of a recorder around `forward`. */
  readonly calls: readonly CallTiming[];
  readonly saves: readonly SaveMoment[];
  /** Of each line of the log. */
  readonly logs: readonly number[];
}

const changes = { batchSave: "saved", batchUpdate: "updated", batchDelete: "deleted" } as const;
const batch = z.looseObject({ model: z.string(), ids: z.array(z.string()) });

/** A clock that begins with the run. Wrap `forward` in it before a recorder is wrapped around that. */
export class RunClock {
  readonly #beganAt = performance.now();
  readonly #calls: CallTiming[] = [];
  readonly #saves: SaveMoment[] = [];
  readonly #logs: number[] = [];

  get times(): RunTimes {
    return { calls: this.#calls, saves: this.#saves, logs: this.#logs };
  }

  get nowMs(): number {
    return performance.now() - this.#beganAt;
  }

  timeCalls(forward: Forward): Forward {
    return async (call) => {
      const startedMs = this.nowMs;
      const place = this.#calls.push({ startedMs, tookMs: 0 }) - 1;
      try {
        return await forward(call);
      } finally {
        this.#calls[place] = { startedMs, tookMs: this.nowMs - startedMs };
      }
    };
  }

  noteLog(): void {
    this.#logs.push(this.nowMs);
  }

  /** Of a call that has ended; only those that save records are noted. */
  noteSave({ method, params }: HostCall): void {
    const change = isChange(method) ? changes[method] : undefined;
    const { data } = batch.safeParse(params);
    if (change === undefined || data === undefined) return;
    const { model, ids } = data;
    this.#saves.push({ change, model, count: ids.length, atMs: this.nowMs });
  }
}

function isChange(method: string): method is keyof typeof changes {
  return Object.hasOwn(changes, method);
}
