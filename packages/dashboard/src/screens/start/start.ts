export { StartScreen as Screen } from "./start-screen.tsx";
