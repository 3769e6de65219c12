import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const inboxSealedColumns: readonly SealedColumn[] = [
  { table: "inbound_webhooks", column: "request", key: [["id", "uuid"]], row: "t.id" },
];
