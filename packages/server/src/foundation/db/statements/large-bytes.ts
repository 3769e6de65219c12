import { type RawBuilder, sql } from "kysely";
import type { Db } from "../owned-db.ts";
import { copyRows } from "./copy-out.ts";

/** Longer values are read by `readLargeBytes`. */
const LARGE_BYTES = 1024 * 1024;

// int16: number of fields; int32: length of the field.
const ROW_HEAD_BYTES = 2 + 4;

/** A column of bytes in a select list: null where its value is to be read by `readLargeBytes`. */
export function smallBytes(column: string): RawBuilder<Buffer | null> {
  const name = sql.ref(column);
  return sql<Buffer | null>`case when octet_length(${name}) <= ${sql.lit(LARGE_BYTES)} then ${name} end`;
}

/**
 * A large value, as bytes and in slices: as hexadecimal text, which is how others come, 24 MB take 200 ms of the
 * process, some of them in one piece. `source` is SQL from the table's name on, of one row, without parameters:
 * texts go through `literal`. Undefined where there is no such row, or no value in it.
 */
export async function readLargeBytes(
  db: Db,
  { column, source }: { column: string; source: string },
): Promise<Buffer | undefined> {
  const slices: Buffer[] = [];
  const query = `select substring(t.${column} from at for ${LARGE_BYTES})
    from (select ${column} from ${source}) as t,
         generate_series(1, octet_length(t.${column}), ${LARGE_BYTES}) as at`;
  for await (const rows of copyRows(db, query)) {
    for (const row of rows) slices.push(row.subarray(ROW_HEAD_BYTES));
  }
  return slices.length === 0 ? undefined : Buffer.concat(slices);
}
