export { AgentCallsScreen as Screen } from "./agent-calls-screen.tsx";
