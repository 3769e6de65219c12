import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const syncSealedColumns: readonly SealedColumn[] = [
  { table: "runs", column: "input", key: [["id", "uuid"]], row: "t.id" },
];
