import type { RuntimeMethod } from "@jackfield/contract/runtime";
import type { EnvironmentContext } from "#foundation";
import type { RunStart } from "#foundation/sandbox";
import type { RunTiming } from "#logs";
import type { FunctionRun } from "./function-run.ts";

const SAVES: ReadonlySet<string> = new Set<RuntimeMethod>([
  "batchSave",
  "batchUpdate",
  "batchDelete",
]);

/** Measures where the time of one run goes. */
export class RunTimer {
  readonly #startedAt: Date;
  readonly #queueMs: number;
  #start: RunStart | undefined;
  #beganAt = 0;
  #saves = 0;
  #firstSaveAt = 0;
  #savesUnderWay = 0;
  #savesSince = 0;
  #savesMs = 0;

  constructor(ctx: EnvironmentContext, { queueMs = 0 }: Pick<FunctionRun, "queueMs">) {
    this.#startedAt = ctx.clock.now();
    this.#queueMs = queueMs;
  }

  /** The function's code begins. */
  begin(start: RunStart): void {
    this.#start = start;
    this.#beganAt = performance.now();
  }

  /** Does a call of the function. Saves that overlap count once, so that they never take longer than the function. */
  async pass<Answer>(method: string, answer: () => Promise<Answer>): Promise<Answer> {
    if (!SAVES.has(method)) return await answer();
    if (this.#saves === 0) this.#firstSaveAt = performance.now();
    if (this.#savesUnderWay === 0) this.#savesSince = performance.now();
    this.#saves += 1;
    this.#savesUnderWay += 1;
    try {
      return await answer();
    } finally {
      this.#savesUnderWay -= 1;
      if (this.#savesUnderWay === 0) this.#savesMs += performance.now() - this.#savesSince;
    }
  }

  /** As of the run's end; without a process the whole time was a wait for one. */
  end(sinceMs: number): RunTiming {
    const whole = { startedAt: this.#startedAt, queueMs: this.#queueMs };
    if (this.#start === undefined) return { ...whole, waitMs: performance.now() - sinceMs };
    const { waitMs, startMs, isCold } = this.#start;
    return {
      ...whole,
      ...{ waitMs, startMs, isCold },
      functionMs: performance.now() - this.#beganAt,
      ...(this.#saves > 0 && {
        saves: {
          count: this.#saves,
          afterMs: this.#firstSaveAt - this.#beganAt,
          ms: this.#savesMs,
        },
      }),
    };
  }
}
