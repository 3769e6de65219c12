import { parquetWriteBuffer } from "hyparquet-writer";
import { type ChangeRow, MICROSECONDS_TO_2000 } from "./change-row.ts";

type Kind = "text" | "number" | "time";

interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly isOptional: boolean;
  read(row: ChangeRow): string | number | null;
}

type RecordRow = ChangeRow & { readonly type: "record" };

function ofAll(
  name: string,
  read: (row: ChangeRow) => string | number | null,
  { kind = "text", isOptional = false }: Partial<Pick<Column, "kind" | "isOptional">> = {},
): Column {
  return { name, kind, isOptional, read };
}

/** Without a value where all records of a source were removed. */
function ofRecords(
  name: string,
  read: (row: RecordRow) => string | number | null,
  kind: Kind = "text",
): Column {
  const readAny = (row: ChangeRow) => (row.type === "record" ? read(row) : null);
  return { name, kind, isOptional: true, read: readAny };
}

const columns: readonly Column[] = [
  ofAll("type", ({ type }) => type),
  ofAll("position", ({ position }) => position, { kind: "number" }),
  ofAll("source", ({ source }) => source),
  ofRecords("id", ({ id }) => id),
  ofRecords("sequence", ({ sequence }) => sequence, "number"),
  ofAll("integration", ({ integration }) => integration, { isOptional: true }),
  ofAll("connection_id", ({ connectionId }) => connectionId, { isOptional: true }),
  ofAll("model", ({ model }) => model),
  ofAll("variant", ({ variant }) => variant),
  ofRecords("first_seen_at", ({ firstSeen }) => firstSeen, "time"),
  ofRecords("changed_at", ({ changed }) => changed, "time"),
  ofRecords("deleted_at", ({ deleted }) => deleted, "time"),
  ofRecords("pruned_at", ({ pruned }) => pruned, "time"),
  ofRecords("data", ({ data }) => data),
];

const types = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "INT64" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
} as const;

const schema = [
  { name: "root", num_children: columns.length },
  ...columns.map(({ name, kind, isOptional }) => ({
    ...{ name, ...types[kind] },
    repetition_type: isOptional ? ("OPTIONAL" as const) : ("REQUIRED" as const),
  })),
];

/** A Parquet file with the rows in their order; `data` is JSON as text. */
export function writeParquet(rows: readonly ChangeRow[]): Uint8Array {
  const columnData = columns.map((column) => ({
    name: column.name,
    data: rows.map((row) => toValue(column.read(row), column.kind)),
  }));
  // Of a record, statistics would hold the beginning twice.
  return new Uint8Array(parquetWriteBuffer({ schema, columnData, createdBy: "jackfield" }));
}

function toValue(value: string | number | null, kind: Kind): string | bigint | null {
  if (value === null || typeof value === "string") return value;
  return BigInt(kind === "time" ? value + MICROSECONDS_TO_2000 : value);
}
