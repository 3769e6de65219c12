import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const webhookSealedColumns: readonly SealedColumn[] = [
  {
    table: "webhook_deliveries",
    column: "body",
    key: [["id", "uuid"]],
    row: "t.id",
  },
  {
    table: "webhook_deliveries",
    column: "headers",
    key: [["id", "uuid"]],
    row: "t.id",
  },
  { table: "webhook_payloads", column: "body", key: [["id", "uuid"]], row: "t.id" },
  { table: "webhook_payloads", column: "headers", key: [["id", "uuid"]], row: "t.id" },
  {
    table: "webhook_attempts",
    column: "answer",
    key: [["id", "uuid"]],
    row: "t.id",
    environment: "d.environment_id",
    join: "join webhook_deliveries d on d.id = t.delivery_id",
  },
];
