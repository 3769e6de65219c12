import type { SystemContext } from "#foundation";
import { getWholeLog } from "../log-server.ts";
import { deleteAll } from "./delete-all.ts";
import { deleteLeftMessages, deleteOfEnvironment, type ErasedRows } from "./store.ts";

// Each statement is short, so that the log is written meanwhile.
const AT_ONCE = 2000;

/** All that environments have logged which are gone. What other processes have still to write is not found. */
export async function eraseLogsOfEnvironments(
  ctx: Pick<SystemContext, "db" | "signal" | "state">,
  environmentIds: readonly string[],
): Promise<ErasedRows> {
  // Throws while its server is away, so that the erasure waits for it.
  const db = getWholeLog(ctx);
  let [operations, messages] = [0, 0];
  for (const environmentId of environmentIds) {
    const erased = await deleteAll(
      ctx,
      async (after) => await deleteOfEnvironment(db, environmentId, { after, limit: AT_ONCE }),
    );
    operations += erased.operations;
    messages += erased.messages;
  }
  return { operations, messages: messages + (await deleteLeftMessages(db, environmentIds)) };
}
