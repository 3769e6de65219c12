export { PlaygroundScreen as Screen } from "./playground-screen.tsx";
