export { IntegrationsScreen as Screen } from "./integrations-screen.tsx";
