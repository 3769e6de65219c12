// Owns connections: their sealed credentials, the one refresh that may run, metadata and tags.
// Tables: connections. Which requests are made with them is the proxy's and the functions' business.

export type { Connection } from "./connection.ts";
export { countConnections } from "./count-connections.ts";
export { deleteConnection, deleteConnectionsOf } from "./delete-connection.ts";
export { findConnectionForCall } from "./finding/find-connection-for-call.ts";
export { listConnections } from "./finding/list-connections.ts";
export { getConnection, getConnectionByUuid } from "./get-connection.ts";
export {
  type ConnectionCreated,
  type ConnectionDeleted,
  connectionCreated,
  connectionDeleted,
} from "./hooks.ts";

export {
  type FreshCredentials,
  finishRefreshes,
  getFreshCredentials,
} from "./refresh/get-fresh-credentials.ts";
export { connectionHandlers } from "./routes.ts";
export { connectionRuntime } from "./runtime.ts";
export { createConnection } from "./saving/create-connection.ts";
export {
  type ConnectionInput,
  saveConnection,
} from "./saving/save-connection.ts";
export { sendAuthWebhook } from "./send-auth-webhook.ts";
export { subjectOf } from "./subject-of.ts";
