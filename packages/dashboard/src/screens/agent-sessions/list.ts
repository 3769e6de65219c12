export { AgentSessionsScreen as Screen } from "./agent-sessions-screen.tsx";
