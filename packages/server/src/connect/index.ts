// Owns connect sessions, the hosted page, and the browser's way through an authorization server and back.
// Tables: connect_sessions, connect_links, connect_attempts, connect_popups, authorization_flows, connect_session_steps, connect_funnel.
// Connections themselves are stored by #connections.

export { admitForm } from "./attempts/begin/admit-form.ts";
export { isBoundBrowser, newBrowserBinding } from "./attempts/browser-binding.ts";
export { authenticateSession } from "./authenticate-session.ts";
export { endSessionsOfConnections } from "./erasure/end-sessions-of-connections.ts";
export { eraseSessions } from "./erasure/erase-sessions.ts";
export { failPending } from "./fail-pending.ts";
export { flushStepCounts } from "./funnel/count-step.ts";
export { connectionContents } from "./hooks.ts";
export { listAllowedIntegrations } from "./list-allowed-integrations.ts";
export { commonHeaders, toPolicy } from "./page/page-headers.ts";
export { chooseTexts } from "./page/page-texts.ts";
export { layoutOf, styleSource } from "./page/pages.ts";
export { isPopupSocket, servePopups } from "./popup-sockets/popup-sockets.ts";
export { connectPageFolder } from "./routes.ts";
export { isSessionToken } from "./session.ts";
export { createReconnectSession } from "./sessions/create-reconnect-session.ts";
export { createSession as createConnectSession } from "./sessions/create-session.ts";
export { settlePending } from "./settle-pending.ts";
export { connect } from "./slice.ts";
