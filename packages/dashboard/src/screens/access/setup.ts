export { SetupScreen as Screen } from "./setup-screen.tsx";
