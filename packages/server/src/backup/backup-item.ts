import * as z from "zod";
import type { DatabasePart } from "#foundation/db/transfer";

/** Raised when a reader of today could not read what is written. */
export const FORMAT = 1;

const header = z.strictObject({
  kind: z.literal("header"),
  format: z.literal(FORMAT, "is of another version of Jackfield"),
  /** Of Jackfield. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  postgresVersion: z.string(),
  /** Names of the migrations that the database had, in order. */
  migrations: z.array(z.string()),
});

/** A small file of the data folder, in base64. */
const file = z.strictObject({
  kind: z.literal("file"),
  place: z.literal("spool"),
  name: z.string().regex(/^[\w-][\w.-]*$/),
  content: z.base64(),
});

const tableHead = { schema: z.enum(["public", "graphile_worker"]), name: z.string() };

// A file for recipients may be of anybody who knows their public key: these two become SQL.
const bound = z
  .string()
  .regex(
    /^(DEFAULT|FOR VALUES (FROM \((MINVALUE|'[\d :+-]+')\) TO \('[\d :+-]+'\)|WITH \(modulus \d+, remainder \d+\)))$/,
  );
const partitionKey = z.string().regex(/^(HASH|RANGE|LIST) \([a-z_]+\)$/);

/** All but rows, which stand in frames of their own as bytes. */
export const jsonItem = z.discriminatedUnion("kind", [
  header,
  z.strictObject({ kind: z.literal("keys"), keys: z.array(z.base64()) }),
  file,
  z.strictObject({
    kind: z.literal("partitions"),
    partitions: z.array(
      z.strictObject({
        ...tableHead,
        parent: z.string(),
        bound,
        key: partitionKey.nullable(),
        options: z.array(z.string()).nullable(),
      }),
    ),
  }),
  z.strictObject({ kind: z.literal("table"), ...tableHead, columns: z.array(z.string()) }),
  z.strictObject({ kind: z.literal("table-end"), rows: z.int() }),
  z.strictObject({
    kind: z.literal("sequences"),
    sequences: z.array(z.strictObject({ ...tableHead, value: z.string() })),
  }),
  z.strictObject({ kind: z.literal("end"), tables: z.int(), rows: z.int() }),
]);

export type HeaderItem = z.infer<typeof header>;
export type FileItem = z.infer<typeof file>;
/** A backup is a header, the keys, files, the parts of the database, files again, and an end. */
export type BackupItem = z.infer<typeof jsonItem> | DatabasePart;

export function isDatabasePart(item: BackupItem): item is DatabasePart {
  return ["partitions", "table", "rows", "table-end", "sequences"].includes(item.kind);
}
