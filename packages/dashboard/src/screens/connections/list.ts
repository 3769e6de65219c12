export { ConnectionsScreen as Screen } from "./connections-screen.tsx";
