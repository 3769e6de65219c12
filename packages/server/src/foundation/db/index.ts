// Owns the connection to Postgres and what is done when it is away, transactions, hot statements, replicas and migrations.
// Tables: schema_migrations, restore_in_progress, primary_timelines.

export { forgetWrittenBatches } from "./batches/batches-once.ts";
export { CountBuffer } from "./batches/count-buffer.ts";
export { askEach } from "./cluster/ask-each.ts";
export { boundedDb, withTimeout } from "./cluster/bounded-db.ts";
export { isPreparedSchema } from "./cluster/prepared-schema.ts";
export {
  listSilent,
  passedOverUntil,
  passingOver,
  requireReadable,
  silence,
  withinAnswer,
  withinBound,
} from "./cluster/silence.ts";
export { clusterWorkers, WorkerWatch } from "./cluster/worker-watch.ts";
export {
  type AtCommit,
  type Database,
  hotStatement,
  openDatabase,
  runHot,
  runNamed,
  withSnapshot,
  withTransaction,
} from "./database.ts";
export { readDatabaseSizes } from "./database-sizes.ts";
export { findUsers } from "./find-users.ts";
export { guardedDb } from "./guard/guarded-db.ts";
export { guardWhereDistributed, isDistributed } from "./guard/is-distributed.ts";
export { isDatabaseReady } from "./is-database-ready.ts";
export { listPendingMigrations, migrate, type PendingMigration } from "./migrations/migrate.ts";
export { readMigrations } from "./migrations/migration-files.ts";
export { createThrowAwayDatabase } from "./migrations/throw-away-database.ts";
export { commonDb, type Db, ownDb } from "./owned-db.ts";
export { readReplica, replicas } from "./replicas/read-replica.ts";
export { Replica } from "./replicas/replica.ts";
export { ReplicaSet } from "./replicas/replica-set.ts";
export { destroyConnection } from "./sessions/ask-sessions.ts";
export {
  DatabaseAway,
  findDatabaseAway,
  NoConnection,
  WorkerAway,
  WorkerSilent,
} from "./sessions/database-away.ts";
export { isPooler } from "./sessions/is-pooler.ts";
export { SQL_READERS, SUSPEND_LOCK_HOLDERS } from "./sessions/lock-holders.ts";
export {
  allowLongStatements,
  Patience,
  REQUEST_PATIENCE_MS,
  withinPatience,
  withPatience,
} from "./sessions/patience.ts";
export { requireAnswer } from "./sessions/require-answer.ts";
export {
  type ListPosition,
  type ListRange,
  listBounded,
  MOST_SCANNED,
} from "./statements/bounded-list.ts";
export { copyRows, literal } from "./statements/copy-out.ts";
export { IN_INDEX_ORDER, inIndexOrder } from "./statements/in-index-order.ts";
export { readLargeBytes, smallBytes } from "./statements/large-bytes.ts";
