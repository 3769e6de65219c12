import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "#foundation";
import { withTransaction } from "../database.ts";
import type { Db } from "../owned-db.ts";

const PAUSE_MS = SECOND / 4;
const LOCK_NOT_AVAILABLE = "55P03";

/** Runs work that gives up a lock that it does not get soon: the others continue, and it is tried again. */
export async function giveWay<Result>(
  db: Db,
  attempts: number,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withTransaction({ db }, async ({ db }) => await work(db));
    } catch (error) {
      if (attempt === attempts || !isLocked(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE;
}
