// Owns connections: their sealed credentials, the one refresh that may run, metadata and tags.
// Tables: connections. Which requests are made with them is the proxy's and the functions' business.

export type { Connection } from "./connection.ts";
export { countConnections, listConnectionsForIntegration } from "./count-connections.ts";
export { deleteConnection, deleteConnectionsOf } from "./delete-connection.ts";
export { deleteWatchedConnections } from "./delete-watched-connections.ts";
export { presentEndUser, withEndUserTags } from "./end-user.ts";
export {
  type ConnectionForCall,
  findCachedConnectionForCall,
  findConnectionForCall,
  getCachedConnectionForCall,
  getConnectionForCall,
  getConnectionForCallIfCached,
  type MissingCodes,
} from "./finding/find-connection-for-call.ts";
export { listConnections } from "./finding/list-connections.ts";
export {
  type ConnectionProperty,
  findConnectionsBy,
  listConnectionsOfIntegration,
} from "./finding/match-connections.ts";
export { getConnection, getConnectionByUuid } from "./get-connection.ts";
export {
  type ConnectionCreated,
  type ConnectionDeleted,
  connectionChecked,
  connectionCreated,
  connectionDeleted,
  connectionDeleting,
  connectionDeletingWatched,
  connectionValidating,
} from "./hooks.ts";

export { keepInMetadata } from "./keep-in-metadata.ts";
export { newAuthTools } from "./new-auth-tools.ts";
export {
  type FreshCredentials,
  finishRefreshes,
  getFreshCredentials,
} from "./refresh/get-fresh-credentials.ts";
export { getFreshCredentialsIfCached } from "./refresh/get-fresh-credentials-if-cached.ts";
export { createIdleRefreshWork } from "./refresh/idle-refresh.ts";
export { startSpoolReplay } from "./refresh/replay-spool.ts";
export { requireRoom } from "./require-room.ts";
export { postponeForConnections } from "./revoking/postpone-erasure.ts";
export { connectionTaskHandlers } from "./revoking/task-handlers.ts";
export { completeConnection } from "./saving/complete-connection.ts";
export { createConnection } from "./saving/create-connection.ts";
export {
  type ConnectionInput,
  saveConnection,
} from "./saving/save-connection.ts";
export { sendAuthWebhook } from "./send-auth-webhook.ts";
export { connections } from "./slice.ts";
export { subjectOf } from "./subject-of.ts";
