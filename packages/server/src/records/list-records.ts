import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { openMany } from "#vault";
import { openCursors } from "./cursor.ts";
import { payloadPlace } from "./save-records.ts";
import { findModel, listRecordRows, type RecordFilter, type RecordRow } from "./store.ts";

/** Stored bytes of one page, however large its records are; the last one may pass it. */
const PAGE_BYTES = 16 * 1024 * 1024;

export interface RecordListing {
  readonly connection: ConnectionUuid;
  /** Name under which the model is stored. */
  readonly model: string;
  readonly cursor: string | undefined;
  readonly modifiedAfter: string | undefined;
  readonly filter: RecordFilter | undefined;
  readonly ids: readonly string[] | undefined;
  readonly limit: number;
}

export interface ListedRecord {
  readonly row: RecordRow;
  /** The record as it was saved; undefined when its payload was pruned. */
  readonly line: Buffer | undefined;
  readonly cursor: string;
}

export interface RecordPage {
  readonly records: readonly ListedRecord[];
  readonly nextCursor: string | undefined;
}

/** Records in the order in which they last changed; a page ends by count or by bytes. */
export async function listRecords(
  ctx: EnvironmentContext,
  listing: RecordListing,
): Promise<RecordPage> {
  const { connection, model } = listing;
  const environmentId = ctx.environment.id;
  const cursors = await openCursors(ctx, listing);
  const after = listing.cursor === undefined ? 0 : cursors.read(listing.cursor);
  const modelId = await findModel(ctx.db, environmentId, listing);
  if (modelId === undefined) return { records: [], nextCursor: undefined };
  const query = { ...listing, after, maxBytes: PAGE_BYTES };
  const { rows, hasMore } = await listRecordRows(ctx.db, modelId, query);
  const sealed = rows.flatMap(({ id, payload }) => {
    const place = { environmentId, ...payloadPlace(connection, model, id) };
    return payload === null ? [] : [{ place, sealed: payload }];
  });
  const lines = (await openMany(ctx, sealed)).values();
  const records = rows.map((row) => ({
    row,
    line: row.payload === null ? undefined : lines.next().value,
    cursor: cursors.write(row.sequence),
  }));
  return { records, nextCursor: hasMore ? records.at(-1)?.cursor : undefined };
}
