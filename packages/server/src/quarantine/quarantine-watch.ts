import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, messageOf, type Quarantine, SECOND, whileWanted } from "#foundation";
import type { Db } from "#foundation/db";
import { findQuarantine } from "./store.ts";

const LOOK_EVERY_MS = SECOND;

export interface QuarantineWatch extends Quarantine, AsyncDisposable {}

/** Reads the quarantine, and looks each second whether it is over. One that begins later holds from the next start on. */
export async function watchQuarantine({
  db,
  log,
}: {
  readonly db: Db;
  readonly log: Logger;
}): Promise<QuarantineWatch> {
  let since = await findQuarantine(db);
  const over = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    while (since !== undefined) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal });
      since = await findQuarantine(db).catch((error: unknown) => {
        log.warn("quarantine.unknown", { reason: messageOf(error) });
        return since;
      });
    }
    log.info("quarantine.over");
    over.resolve();
  };
  let watching = Promise.resolve();
  if (since === undefined) over.resolve();
  else {
    const cure = "jackfield resume, once no other copy of this installation is at work";
    log.warn("quarantine.on", { since, effect: "no work by itself, no token refreshes", cure });
    watching = watch().catch(() => undefined);
  }
  return {
    get since() {
      return since;
    },
    async untilOver(signal) {
      await whileWanted(signal, over.promise);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await watching;
    },
  };
}
