// Owns connections: their sealed credentials, the one refresh that may run, metadata and tags.
// Tables: connections, connection_uses; connection_counts and refresh_leases, which triggers keep. Which requests are made
// with them is the proxy's and the functions' business.

export { nameOfAccount } from "./account/name-of-account.ts";
export { readConnectionAccount } from "./account/read-connection-account.ts";
export type { Connection } from "./connection.ts";
export { presentEndUser, withEndUserTags } from "./end-user.ts";
export {
  disguiseConnections,
  isWithdrawn,
  listConnectionsOfEndUser,
} from "./erasure/erase-end-user.ts";
export { hashEndUser } from "./erasure/hash-end-user.ts";
export {
  type FrozenConnection,
  freezeConnections,
  isRefreshRunning,
  releaseConnections,
} from "./freeze/freeze-connections.ts";
export { listMatchingConnections } from "./freeze/list-matching-connections.ts";
export { requireUnfrozen } from "./freeze/require-unfrozen.ts";
export type { ConnectionMatch, MatchedConnection } from "./freeze/store.ts";
export { getHealth as getHealthOf } from "./health/connection-health.ts";
export { countForIntegrations, countForProviders } from "./health/count-states.ts";
export { findCredentialFailure } from "./health/find-credential-failure.ts";
export { identify } from "./health/identify.ts";
export { refreshNow as refreshConnectionNow } from "./health/refresh-now.ts";
export { addSyncError, clearSyncErrors } from "./health/sync-errors.ts";
export {
  type ConnectionCreated,
  type ConnectionDeleting,
  type ConnectionsLeaving,
  type ConnectionsOf,
  connectionChecked,
  connectionCreated,
  connectionDeleting,
  connectionDeletingWatched,
  connectionsDeleted,
  connectionsLeaving,
  connectionsRemoved,
  connectionValidating,
  frozenCredentialsLeaving,
  frozenCredentialsRenewed,
  type ReadingThrough,
  readingThrough,
} from "./hooks.ts";
export { createIdleRefreshWork } from "./idle/idle-refresh.ts";
export {
  listConnectionPage,
  listConnections,
  listingOfFilter,
} from "./listing/list-connections.ts";
export { newAuthTools } from "./new-auth-tools.ts";
export { type EndUserConnection, listEndUserConnections } from "./read/account-store.ts";
export { countConnections, listConnectionsForIntegration } from "./read/count-connections.ts";
export {
  type ConnectionForCall,
  findCachedConnectionForCall,
  findConnectionForCall,
  getCachedConnectionForCall,
  getConnectionForCall,
  getConnectionForCallIfCached,
  type MissingCodes,
} from "./read/find-connection-for-call.ts";
export {
  failMissingConnection,
  findConnection,
  findConnectionByUuid,
  getConnection,
  getConnectionByUuid,
} from "./read/get-connection.ts";
export { listCachedEndUserConnections } from "./read/list-cached-end-user-connections.ts";
export { listConnectionNames } from "./read/list-connection-names.ts";
export {
  type ConnectionProperty,
  listNewestConnectionsBy,
  matchConnections,
} from "./read/match-connections.ts";
export type { WebhookConnection } from "./read/match-store.ts";
export { pagesOfIntegration } from "./read/pages-of-integration.ts";
export {
  type Leased,
  setReadThrough,
  storeUnderLease,
  withRefreshLease,
} from "./read-through/refresh-lease.ts";
export {
  type FreshCredentials,
  finishRefreshes,
  getFreshCredentials,
} from "./refresh/get-fresh-credentials.ts";
export { getFreshCredentialsIfCached } from "./refresh/get-fresh-credentials-if-cached.ts";
export { startSpoolReplay } from "./refresh/replay-spool.ts";
export { hideCredentials } from "./reveal/hide-credentials.ts";
export {
  deleteConnection,
  deleteConnectionsOf,
  deleteIfThere,
} from "./revoke/delete-connection.ts";
export { deleteConnectionsFirst } from "./revoke/delete-connections-first.ts";
export { isWithdrawable, readRevocation } from "./revoke/plan-revocation.ts";
export { postponeForConnections } from "./revoke/postpone-erasure.ts";
export { connectionTaskHandlers } from "./revoke/task-handlers.ts";
export { withdrawToken } from "./revoke/withdraw-token.ts";
export { completeConnection } from "./save/complete-connection.ts";
export type { ConnectionInput } from "./save/connection-input.ts";
export { createConnection } from "./save/create-connection.ts";
export { requireRoom } from "./save/require-room.ts";
export { saveConnection } from "./save/save-connection.ts";
export { updateConnection } from "./save/update-connection.ts";
export {
  openCredentials as openConnectionCredentials,
  type SealedRevocation,
} from "./sealed-credentials.ts";
export { sendAuthWebhook } from "./send-auth-webhook.ts";
export { connections } from "./slice.ts";
export { subjectOf } from "./subject-of.ts";
export { countUse, flushUses } from "./uses/count-uses.ts";
export { listConnectionUsers } from "./uses/list-connection-users.ts";
export { keepWebhookSecret, openWebhookSecret } from "./webhook-secret.ts";
