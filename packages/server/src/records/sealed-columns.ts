import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const recordSealedColumns: readonly SealedColumn[] = [
  {
    table: "records",
    column: "payload",
    key: [
      ["model_id", "bigint"],
      ["record_id", "text"],
    ],
    row: "m.connection_uuid || '/' || m.model || '/' || t.record_id",
    environment: "m.environment_id",
    join: "join record_models m on m.id = t.model_id",
  },
];
