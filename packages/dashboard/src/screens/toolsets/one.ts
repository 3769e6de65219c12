export { ToolsetScreen as Screen } from "./toolset-screen.tsx";
