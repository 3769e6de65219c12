import type { RunnerOptions } from "graphile-worker";

type Events = NonNullable<RunnerOptions["events"]>;

// The next job of a chain can be taken once the end of the one before is written, which nobody announces.
const CHAIN_MOVES_ON_MS = [100, 1000];

/**
 * A job queued between the last poll and LISTEN would wait for the next poll: workers look once listening has begun. Any
 * login of the database can send the library's notice of a breaking migration, at which a pool stops for good. No release
 * breaks the queue of the one before: nothing has to listen to it.
 */
export function prepareListening(events: Events, concurrency: number): void {
  events.on("pool:listen:success", ({ workerPool, client }) =>
    // The event comes just before LISTEN is sent, and the client drains when it is answered.
    client.once("drain", () => {
      if (!workerPool._shuttingDown) workerPool.nudge(concurrency);
      client.query('unlisten "worker:migrate"').catch(() => undefined);
    }),
  );
}

/**
 * One worker looks first, and the others once it has found something: every queue hears of the jobs of all, and few of
 * them are chores.
 */
export function nudgeOneFirst(events: Events): void {
  let others = 0;
  events.on("pool:create", ({ workerPool }) => {
    const nudge = workerPool.nudge.bind(workerPool);
    workerPool.nudge = (count) => {
      others = Math.max(others, count - 1);
      nudge(1);
    };
    events.on("job:start", () => {
      const count = others;
      others = 0;
      if (count > 0 && !workerPool._shuttingDown) nudge(count);
    });
  });
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
