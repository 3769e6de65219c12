import type { Scope } from "@jackfield/contract";
import type { RuntimeMethod } from "@jackfield/contract/runtime";

/**
 * What a key needs for a call of its dry run, next to the scope that starts one. `nothing`: the call reads and changes
 * only what the request brought, or what the run itself collects. A new method is a type error until it has its row.
 */
export const dryScopes: Readonly<Record<RuntimeMethod, Scope | "nothing">> = {
  log: "nothing",
  proxy: "environment:proxy",
  // Without credentials, but from the server's address.
  fetch: "environment:proxy",
  getIntegration: "environment:integrations:read",
  getPagination: "environment:integrations:read",
  getConnection: "environment:connections:read",
  // Collected; merging reads the connection, which asks for that scope.
  setMetadata: "nothing",
  getEnvironmentVariables: "environment:variables:read",
  triggerAction: "environment:actions:execute",
  reportProgress: "nothing",
  elicit: "nothing",
  triggerSync: "nothing",
  startSync: "nothing",
  getRecords: "environment:records:read",
  listRecords: "environment:records:read",
  getRecordSequence: "nothing",
  batchSave: "nothing",
  batchUpdate: "nothing",
  batchDelete: "nothing",
  quarantineRecords: "nothing",
  trackDeletesStart: "nothing",
  trackDeletesEnd: "nothing",
  listDeletedKeys: "nothing",
  getCheckpoint: "nothing",
  saveCheckpoint: "nothing",
  clearCheckpoint: "nothing",
  tryAcquireLock: "nothing",
  releaseLock: "nothing",
  releaseAllLocks: "nothing",
  noteMoments: "nothing",
};
