export { OperationScreen as Screen } from "./operation-screen.tsx";
