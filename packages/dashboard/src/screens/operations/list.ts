export { beginOperations as begin, OperationsScreen as Screen } from "./operations-screen.tsx";
