// The embedded PostgreSQL: owns `<dataDir>/postgres` (the cluster), its password, socket, log and
// the lock that keeps a second process off them. Knows nothing of our tables: it hands out a
// connection string to a ready server and stops that server again.
export { DataFolderInUseError, EmbeddedPostgresError } from "./errors.ts";
export { findRunningDatabase } from "./find-running-database.ts";
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./start-embedded-postgres.ts";
