import { messageOf, type SystemContext } from "#foundation";
import type { Workers } from "#tasks";

type WaitContext = Pick<SystemContext, "settings" | "log">;

/** Starts the work of this process: at once, or when the quarantine is over. */
export async function workAfterQuarantine(
  { settings: { quarantine }, log }: WaitContext,
  start: () => Promise<Workers>,
): Promise<Workers> {
  if (quarantine.since === undefined) return await start();
  const stopping = new AbortController();
  let workers: Workers | undefined;
  const begun = quarantine
    .untilOver(stopping.signal)
    .then(async () => {
      workers = await start();
    })
    .catch((error: unknown) => {
      if (!stopping.signal.aborted) log.error("tasks.not_started", { reason: messageOf(error) });
    });
  return {
    get stalledQueues() {
      return workers?.stalledQueues ?? [];
    },
    get idleMs() {
      return workers?.idleMs ?? [];
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await begun;
      await workers?.[Symbol.asyncDispose]();
    },
  };
}
