import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { type Db, isPreparedSchema } from "#foundation/db";
import { base64Forms } from "#foundation/words";
import { flushLogs } from "../flush-logs.ts";
import { getLogDb } from "../log-server.ts";
import { deleteAll } from "./delete-all.ts";
import {
  deleteNaming,
  deleteOfConnections,
  deleteWrittenSince,
  type ErasedRows,
  findFirstTime,
  readMoment,
  type Words,
} from "./store.ts";
import { isComparable, type LogMoment } from "./written-since.ts";

// Each statement is short, so that the log is written meanwhile.
const DELETED_AT_ONCE = 1000;
/** Operations whose text is searched; few of them are deleted. */
const SEARCHED_AT_ONCE = 4000;

export interface ErasedLogs extends ErasedRows {
  /** All that was written before has been searched; undefined where nothing says what was. */
  readonly searched: LogMoment | undefined;
}

/**
 * Deletes the operations of connections with these names, and every operation and message that contains one of the
 * words, plain, encoded as in an address or in base64. Rows that other processes have still to write are not found:
 * `since` is where an earlier search has begun, after which only what was written or changed later is searched.
 */
export async function eraseFromLogs(
  ctx: EnvironmentContext,
  wanted: {
    readonly names: readonly string[];
    readonly words: readonly string[];
    readonly since?: LogMoment | undefined;
  },
): Promise<ErasedLogs> {
  const environmentId = ctx.environment.id;
  const { names, since } = wanted;
  // Throws while its server is away, so that the erasure waits for it.
  const db = getLogDb(ctx);
  await flushLogs(ctx, environmentId);
  const searched = await findMoment(ctx, db);
  const ofNames = await deleteAll(ctx, async () =>
    names.length === 0
      ? nothing
      : await deleteOfConnections(db, environmentId, { names, limit: DELETED_AT_ONCE }),
  );
  const words = toForms(wanted.words);
  const isSearchedBefore = isComparable(since, searched);
  const ofWords =
    words.small.length === 0
      ? nothing
      : isSearchedBefore
        ? await deleteLater(ctx, db, { words, since })
        : await deleteAll(
            ctx,
            async (after) =>
              await deleteNaming(db, environmentId, { words, after, limit: SEARCHED_AT_ONCE }),
          );
  return {
    operations: ofNames.operations + ofWords.operations,
    messages: ofNames.messages + ofWords.messages,
    searched,
  };
}

/** Undefined where the log may lie on several servers, each of which counts its transactions by itself. */
async function findMoment(ctx: EnvironmentContext, db: Db): Promise<LogMoment | undefined> {
  // The log itself has no trigger that tells: what is made ready for distribution is so as a whole.
  return (await isPreparedSchema(ctx)) ? undefined : await readMoment(db);
}

/** A day at a time: each row says when it was written, and only the text of those written since is read. */
async function deleteLater(
  ctx: EnvironmentContext,
  db: Db,
  { words, since }: { words: Words; since: LogMoment },
): Promise<ErasedRows> {
  const { id } = ctx.environment;
  const first = await findFirstTime(db, id);
  const last = addMs(ctx.clock.now(), DAY);
  let [operations, messages] = [0, 0];
  // Without bounds at both ends: messages may be older than the first operation that is left.
  let from: Date | undefined;
  for (let day = first ?? last; ; day = addMs(day, DAY)) {
    ctx.signal.throwIfAborted();
    const to = day < last ? addMs(day, DAY) : undefined;
    const range = { from, to, transaction: since.transaction };
    const erased = await deleteWrittenSince(db, id, { words, ...range });
    operations += erased.operations;
    messages += erased.messages;
    if (to === undefined) return { operations, messages };
    from = to;
  }
}

function toForms(words: readonly string[]): Words {
  const forms = [...new Set(words.flatMap((word) => [word, encodeURIComponent(word)]))];
  return {
    small: forms.map((form) => form.toLowerCase()),
    // A name may have been put into small letters before it was encoded.
    encoded: words.flatMap((word) => [word, word.toLowerCase()]).flatMap(base64Forms),
  };
}

const nothing = { operations: 0, messages: 0, last: undefined };
