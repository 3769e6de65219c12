export { AgentSessionScreen as Screen } from "./agent-session-screen.tsx";
