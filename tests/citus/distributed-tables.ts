/** Tables that lie together: rows of one value of the column are on one server. */
export interface Group {
  readonly name: "environment" | "model";
  /** Each table's distribution column. */
  readonly tables: Readonly<Record<string, string>>;
}

/** What Citus distributes; all other tables stay on the first server. `deploy/citus/distribute.sql` says the same. */
export const groups: readonly Group[] = [
  {
    name: "environment",
    tables: {
      operations: "environment_id",
      operation_messages: "environment_id",
      inbound_events: "environment_id",
      inbound_webhooks: "environment_id",
      inbound_webhook_connections: "environment_id",
      webhook_receivers: "environment_id",
      webhook_payloads: "environment_id",
      webhook_deliveries: "environment_id",
      webhook_attempts: "environment_id",
      delivery_turns: "environment_id",
      failed_deliveries: "environment_id",
    },
  },
  {
    name: "model",
    tables: {
      record_models: "id",
      records: "model_id",
      record_sightings: "model_id",
      record_trackings: "model_id",
      record_versions: "model_id",
      record_quarantine_reasons: "model_id",
      quarantined_records: "model_id",
      record_quarantine_samples: "model_id",
    },
  },
];

/** Distribution column by table. */
export function columnsOf(from: readonly Group[]): ReadonlyMap<string, string> {
  return new Map(from.flatMap(({ tables }) => Object.entries(tables)));
}
