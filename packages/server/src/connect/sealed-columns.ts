import type { SealedColumn } from "#vault";

/** Where this slice keeps sealed texts, and the place of each. */
export const connectSealedColumns: readonly SealedColumn[] = [
  {
    table: "connect_sessions",
    column: "defaults",
    key: [["id", "uuid"]],
    row: "t.id",
  },
  {
    table: "authorization_flows",
    column: "secrets",
    key: [["id", "uuid"]],
    row: "t.id",
  },
];
