export { RunScreen as Screen } from "./run-screen.tsx";
