export { OperationLinkScreen as Screen } from "./operation-link-screen.tsx";
