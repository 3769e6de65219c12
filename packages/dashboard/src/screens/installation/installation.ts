export { InstallationScreen as Screen } from "./installation-screen.tsx";
