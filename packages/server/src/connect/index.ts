// Owns connect sessions and the browser's way through an authorization server and back.
// Tables: connect_sessions, authorization_flows. Connections themselves are stored by #connections.
export { authenticateSession } from "./authenticate-session.ts";
export { listAllowedIntegrations } from "./list-allowed-integrations.ts";
export { connectHandlers } from "./routes.ts";
export { isSessionToken } from "./session.ts";
