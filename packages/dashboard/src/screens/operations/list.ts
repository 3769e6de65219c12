export { OperationsScreen as Screen } from "./operations-screen.tsx";
