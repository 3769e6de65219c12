// Owns what agents may do: toolsets, sessions for one end user, and the tools that a session has.
// Tables: agent_toolsets, agent_toolset_versions, agent_sessions, agent_calls.
export { eraseAgentSessions, eraseFromAgentCalls } from "./erase-agents.ts";
export { authenticateAgent } from "./sessions/authenticate-agent.ts";
export { agents } from "./slice.ts";
