import type { Logger } from "./logger/index.ts";

/** Delays up to this length are what garbage collection and a busy machine cause. */
export const LONG_DELAY_MS = 250;
const CHECK_MS = 100;

/** Delays of the event loop that were too long, since the start of the process. */
export interface LoopDelays {
  readonly count: number;
  readonly longestMs: number;
}

// Process-wide: there is one event loop.
const seen = { count: 0, longestMs: 0 };

/** For reports about the process. */
export function readLoopDelays(): LoopDelays {
  return { ...seen };
}

export interface WatchOptions {
  readonly log: Logger;
  /** The routes that were being served since it was last asked: names, never ids. */
  readonly inProgress: () => readonly string[];
}

/**
 * Reports each time when nothing of this process ran for too long. `cpuMs` tells work of our own, which blocks, from a
 * machine that let the process wait.
 */
export function watchLoop({ log, inProgress }: WatchOptions): Disposable {
  let due = performance.now() + CHECK_MS;
  let cpu = process.threadCpuUsage();
  const timer = setInterval(() => {
    const delayMs = Math.round(performance.now() - due);
    const used = process.threadCpuUsage(cpu);
    const routes = inProgress();
    if (delayMs > LONG_DELAY_MS) {
      seen.count += 1;
      seen.longestMs = Math.max(seen.longestMs, delayMs);
      const cpuMs = Math.round((used.user + used.system) / 1000);
      log.warn("event_loop.delayed", { delayMs, cpuMs, routes, count: seen.count });
    }
    cpu = process.threadCpuUsage();
    due = performance.now() + CHECK_MS;
  }, CHECK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
