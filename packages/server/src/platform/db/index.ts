// Owns the connection to Postgres and what is done when it is away, transactions, hot statements and migrations.

export { destroyConnection } from "./ask-sessions.ts";
export { BatchWriter, type RowQueue, RowsInOrder } from "./batches/batch-writer.ts";
export { BatchesOnce, forgetWrittenBatches } from "./batches/batches-once.ts";
export { CountBuffer } from "./batches/count-buffer.ts";
export {
  type ListPosition,
  type ListRange,
  listBounded,
  MOST_SCANNED,
} from "./bounded-list.ts";
export { copyRows, literal } from "./copy-out.ts";
export {
  type AtCommit,
  type Database,
  hotStatement,
  openDatabase,
  runHot,
  runNamed,
  withTransaction,
} from "./database.ts";
export { DatabaseAway, findDatabaseAway, NoConnection } from "./database-away.ts";
export { readDatabaseSizes } from "./database-sizes.ts";
export { findUsers } from "./find-users.ts";
export { guardedDb } from "./guard/guarded-db.ts";
export { IN_INDEX_ORDER, inIndexOrder } from "./in-index-order.ts";
export { isDatabaseReady } from "./is-database-ready.ts";
export { isPooler } from "./is-pooler.ts";
export { readLargeBytes, smallBytes } from "./large-bytes.ts";
export { listPendingMigrations, migrate, type PendingMigration } from "./migrate.ts";
export { readMigrations } from "./migration-files.ts";
export { commonDb, type Db, ownDb } from "./owned-db.ts";
export { Patience, REQUEST_PATIENCE_MS, withinPatience, withPatience } from "./patience.ts";
export { createThrowAwayDatabase } from "./throw-away-database.ts";
