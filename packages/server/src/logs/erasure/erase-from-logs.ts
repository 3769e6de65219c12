import type { EnvironmentContext } from "#platform";
import { base64Forms } from "#platform/words";
import { flushLogs } from "../flush-logs.ts";
import { getLogDb } from "../log-server.ts";
import { deleteNaming, deleteOfConnections, type ErasedRows, type LogPosition } from "./store.ts";

// Each statement is short, so that the log is written meanwhile.
const AT_ONCE = 1000;
/** Operations whose text is searched; few of them are deleted. */
const SEARCHED_AT_ONCE = 4000;

/**
 * Deletes the operations of connections with these names, and every operation and message that contains one of the
 * words, plain, encoded as in an address or in base64. Rows that other processes have still to write are not found.
 */
export async function eraseFromLogs(
  ctx: EnvironmentContext,
  { names, words }: { readonly names: readonly string[]; readonly words: readonly string[] },
): Promise<ErasedRows> {
  const environmentId = ctx.environment.id;
  // Throws while its server is away, so that the erasure waits for it.
  const db = getLogDb(ctx);
  await flushLogs(ctx, environmentId);
  let [operations, messages] = [0, 0];
  const add = (erased: ErasedRows) => {
    operations += erased.operations;
    messages += erased.messages;
    return erased;
  };
  let count = names.length === 0 ? 0 : AT_ONCE;
  while (count === AT_ONCE) {
    ctx.signal.throwIfAborted();
    const erased = await deleteOfConnections(db, environmentId, { names, limit: AT_ONCE });
    count = add(erased).operations;
  }
  const forms = [...new Set(words.flatMap((word) => [word, encodeURIComponent(word)]))];
  const small = forms.map((form) => form.toLowerCase());
  // A name may have been put into small letters before it was encoded.
  const encoded = words.flatMap((word) => [word, word.toLowerCase()]).flatMap(base64Forms);
  let after: LogPosition | undefined;
  let isMore = small.length > 0;
  while (isMore) {
    ctx.signal.throwIfAborted();
    const page = { words: small, encoded, after, limit: SEARCHED_AT_ONCE };
    const erased = await deleteNaming(db, environmentId, page);
    after = add(erased) && erased.last;
    isMore = after !== undefined;
  }
  return { operations, messages };
}
