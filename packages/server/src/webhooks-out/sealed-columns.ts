import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const webhookSealedColumns: readonly SealedColumn[] = [
  {
    table: "webhook_deliveries",
    column: "body",
    key: [["id", "uuid"]],
    row: "t.id",
  },
];
