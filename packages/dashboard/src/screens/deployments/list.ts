export { DeploymentsScreen as Screen } from "./deployments-screen.tsx";
