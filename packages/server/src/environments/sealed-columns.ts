import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const environmentSealedColumns: readonly SealedColumn[] = [
  {
    table: "environment_variables",
    column: "value",
    key: [
      ["environment_id", "uuid"],
      ["name", "text"],
    ],
    row: "t.name",
  },
  {
    table: "webhook_signing_keys",
    column: "key",
    key: [["id", "uuid"]],
    row: "t.id",
  },
];
