import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const integrationSealedColumns: readonly SealedColumn[] = [
  {
    table: "integrations",
    column: "credentials",
    key: [["id", "bigint"]],
    row: "t.id",
  },
];
