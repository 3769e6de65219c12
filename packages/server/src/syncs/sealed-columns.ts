import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const syncSealedColumns: readonly SealedColumn[] = [
  { table: "webhook_inputs", column: "input", key: [["id", "uuid"]], row: "t.id" },
];
