import { AppError, accountOf, addMs, DAY, type SystemContext } from "#foundation";
import { flushCredentialReads } from "./count-reads.ts";
import {
  deleteReadsBefore,
  listReads,
  type ReadFilter,
  type ReadPosition,
  type ReadRow,
} from "./store.ts";

/** A minute of each key and connection is much to keep. */
const KEPT_MS = 30 * DAY;

/** Reads by keys of the caller's account, latest minute first; throws invalid_cursor. */
export async function listCredentialReads(
  ctx: SystemContext,
  { filter, limit, cursor }: { filter: ReadFilter; limit: number; cursor: string | undefined },
): Promise<{ reads: ReadRow[]; nextCursor: string | null }> {
  await flushCredentialReads(ctx);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const page = { filter, after, limit: limit + 1 };
  const found = await listReads(ctx.db, accountOf(ctx.actor), page);
  const reads = found.slice(0, limit);
  const last = found.length > limit ? reads.at(-1) : undefined;
  return { reads, nextCursor: last === undefined ? null : writeCursor(last) };
}

function writeCursor({ minute, keyId, connectionUuid }: ReadPosition): string {
  return `${minute.getTime().toString(36)}.${keyId}.${connectionUuid}`;
}

const form = /^([0-9a-z]{1,11})\.([0-9a-f-]{36})\.([0-9a-f-]{36})$/;

function readCursor(cursor: string): ReadPosition {
  const [, minute, keyId, connectionUuid] = form.exec(cursor) ?? [];
  if (minute === undefined || keyId === undefined || connectionUuid === undefined) {
    throw new AppError("invalid_cursor");
  }
  return { minute: new Date(Number.parseInt(minute, 36)), keyId, connectionUuid };
}

export async function deleteOldReads(ctx: SystemContext): Promise<void> {
  await deleteReadsBefore(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
}
