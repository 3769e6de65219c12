import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const actionSealedColumns: readonly SealedColumn[] = ["input", "outcome"].map((column) => ({
  table: "async_actions",
  column,
  key: [["id", "uuid"]],
  row: "t.id",
}));
