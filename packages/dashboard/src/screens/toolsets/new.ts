export { NewToolsetScreen as Screen } from "./new-toolset-screen.tsx";
