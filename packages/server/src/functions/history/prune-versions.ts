import { addMs, DAY, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { tryLockDeployment } from "../store.ts";
import { listDeployedSince, pruneVersions } from "./store.ts";

const LOOKED_BACK_MS = 7 * DAY;

/** Each day: earlier versions stay within their room, environment by environment; one that deploys waits for a later day. */
export async function pruneFunctionVersions(ctx: SystemContext): Promise<void> {
  const since = addMs(ctx.clock.now(), -LOOKED_BACK_MS);
  for (const environmentId of await listDeployedSince(ctx.db, since)) {
    await withTransaction(ctx, async ({ db, clock }) => {
      if (await tryLockDeployment(db, environmentId)) {
        await pruneVersions(db, environmentId, clock.now());
      }
    });
  }
}
