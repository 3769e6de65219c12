export { ToolsetsScreen as Screen } from "./toolsets-screen.tsx";
