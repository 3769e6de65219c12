// Owns the connection to Postgres, transactions, hot statements and migrations.
export {
  type Database,
  type Db,
  hotStatement,
  openDatabase,
  runHot,
  withTransaction,
} from "./database.ts";
export { isDatabaseReady } from "./is-database-ready.ts";
export { migrate } from "./migrate.ts";
