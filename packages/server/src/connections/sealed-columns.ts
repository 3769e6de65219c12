import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const connectionSealedColumns: readonly SealedColumn[] = [
  {
    table: "connections",
    column: "credentials",
    key: [["id", "bigint"]],
    row: "t.uuid",
  },
];
