export { SyncsScreen as Screen } from "./syncs-screen.tsx";
