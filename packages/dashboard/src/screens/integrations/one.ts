export { IntegrationScreen as Screen } from "./integration-screen.tsx";
