import type { EnvironmentContext } from "#platform";
import { base64Forms } from "#platform/words";
import { flushLogs } from "../flush-logs.ts";
import { getLogDb } from "../log-server.ts";
import { deleteAll } from "./delete-all.ts";
import { deleteNaming, deleteOfConnections, type ErasedRows } from "./store.ts";

// Each statement is short, so that the log is written meanwhile.
const DELETED_AT_ONCE = 1000;
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
  const ofNames = await deleteAll(ctx, async () =>
    names.length === 0
      ? nothing
      : await deleteOfConnections(db, environmentId, { names, limit: DELETED_AT_ONCE }),
  );
  const forms = [...new Set(words.flatMap((word) => [word, encodeURIComponent(word)]))];
  const small = forms.map((form) => form.toLowerCase());
  // A name may have been put into small letters before it was encoded.
  const encoded = words.flatMap((word) => [word, word.toLowerCase()]).flatMap(base64Forms);
  const ofWords = await deleteAll(ctx, async (after) =>
    small.length === 0
      ? nothing
      : await deleteNaming(db, environmentId, {
          ...{ words: small, encoded, after, limit: SEARCHED_AT_ONCE },
        }),
  );
  return {
    operations: ofNames.operations + ofWords.operations,
    messages: ofNames.messages + ofWords.messages,
  };
}

const nothing = { operations: 0, messages: 0, last: undefined };
