export { FunctionScreen as Screen } from "./function-screen.tsx";
