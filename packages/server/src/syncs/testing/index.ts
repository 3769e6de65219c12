// Owns what tests of syncs share: an upload of one sync, and how its runs have left the database.
export {
  listRuns,
  listSyncOperations,
  listSyncRows,
  listWebhooks,
  takeJobs,
} from "./store.ts";
