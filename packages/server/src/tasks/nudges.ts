import type { RunnerOptions } from "graphile-worker";

type Events = NonNullable<RunnerOptions["events"]>;

// The next job of a chain can be taken once the end of the one before is written, which nobody announces.
const CHAIN_MOVES_ON_MS = [100, 1000];

// A job queued between the last poll and LISTEN would wait for the next poll. The event comes just before LISTEN is
// sent; a query sent after that is answered when listening has begun.
export function nudgeOnceListening(events: Events, concurrency: number): void {
  events.on("pool:listen:success", ({ workerPool, client }) =>
    queueMicrotask(() => {
      client
        .query("select 1")
        .then(() => workerPool.nudge(concurrency))
        .catch(() => undefined);
    }),
  );
}

/** Soon after a job has ended idle workers look for the next one. */
export function nudgeAfterJobs(events: Events, concurrency: number): void {
  const timers = new Map<number, NodeJS.Timeout>();
  events.on("pool:release", () => {
    for (const timer of timers.values()) clearTimeout(timer);
  });
  events.on("job:complete", ({ worker }) => {
    for (const ms of CHAIN_MOVES_ON_MS) {
      if (timers.has(ms)) continue;
      const nudge = () => {
        timers.delete(ms);
        if (!worker.workerPool._shuttingDown) worker.workerPool.nudge(concurrency);
      };
      timers.set(ms, setTimeout(nudge, ms).unref());
    }
  });
}
