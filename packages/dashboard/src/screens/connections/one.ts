export { ConnectionScreen as Screen } from "./connection-screen.tsx";
