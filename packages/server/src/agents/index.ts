// Owns what agents may do: toolsets, sessions for one end user, and the tools that a session has.
// Clients that connect by URL alone: `oauth/` is the authorization server of an environment, `sign-in/` proves for
// which end user a browser speaks. `code/` runs scripts, and continues them by a tape. `deferred/` lets
// clients follow a call as a task. Tools of other MCP servers:
// `upstream/` pins their versions, and calls them.
// Tables: agent_upstreams, agent_upstream_tools, agent_upstream_lists,
// agent_toolsets, agent_toolset_versions, agent_sessions, agent_calls, agent_approvals, agent_texts_seen, agent_days,
// agent_deferred_calls, agent_api_documents, agent_api_operations, agent_scripts, agent_script_calls,
// agent_sign_ins, agent_authorizations, agent_oauth_items, agent_consents.
export { eraseAgentSessions, eraseFromAgentCalls } from "./erase-agents.ts";
export { deleteDocumentOf } from "./openapi/put-document.ts";
export { authenticateAgent } from "./sessions/authenticate-agent.ts";
export { withChallenge } from "./sessions/challenge.ts";
export { endAgentSessions } from "./sessions/end-sessions.ts";
export { agents } from "./slice.ts";
export { queueUpstreamRefresh } from "./upstream/after-connect.ts";
