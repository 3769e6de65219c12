// Owns what tests of syncs share: an upload of one sync, and how its runs have left the database.
export {
  hasCheckpoints,
  listRuns,
  listSyncOperations,
  listSyncRows,
  listWebhooks,
  markConnectionDeleted,
  markEnvironmentDeleted,
  takeJobs,
  takeRemovals,
} from "./store.ts";
