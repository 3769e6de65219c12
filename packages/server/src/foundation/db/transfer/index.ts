// Copies what the tables of one database hold to another with the same schema, through the client alone: no
// program of Postgres is needed, and the two servers may be of different versions.
export type { DatabasePart } from "./database-part.ts";
export { type DumpSource, openDump } from "./dump-tables.ts";
export { type LoadReport, loadTables } from "./load-tables.ts";
export { moveRows } from "./move-rows.ts";
export {
  clearRemains,
  findContent,
  finishRestore,
  requireRestored,
  startRestore,
} from "./restore-mark.ts";
