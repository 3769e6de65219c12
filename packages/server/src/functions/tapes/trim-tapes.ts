import { tapeLimits } from "@jackfield/contract";
import { LRUCache } from "lru-cache";
import { type EnvironmentContext, serverState } from "#foundation";
import { deleteOldestTapes } from "./store.ts";

/** What this process has stored for an environment since it last looked at all of its tapes. */
interface Stored {
  bytes: number;
  tapes: number;
}

const stored = serverState(() => new LRUCache<string, Stored>({ max: 10_000 }));

const most = { bytes: tapeLimits.environmentBytes, tapes: tapeLimits.environmentTapes };

/**
 * Keeps an environment within its limits after a tape was stored. Looking at all tapes costs more than storing one, so
 * each process does it once for every hundredth of a limit that it fills.
 */
export async function trimTapes(ctx: EnvironmentContext, bytes: number): Promise<void> {
  const { id } = ctx.environment;
  const known = stored.of(ctx);
  const since = known.get(id) ?? { bytes: 0, tapes: 0 };
  since.bytes += bytes;
  since.tapes += 1;
  const isDue = since.bytes >= most.bytes / 100 || since.tapes >= most.tapes / 100;
  if (!isDue) {
    known.set(id, since);
    return;
  }
  known.delete(id);
  await deleteOldestTapes(ctx.db, id, most);
}
