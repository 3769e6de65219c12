import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const functionSealedColumns: readonly SealedColumn[] = ["request", "outcome"].map(
  (column) => ({ table: "function_jobs", column, key: [["id", "uuid"]], row: "t.id" }),
);
