export { FunctionsScreen as Screen } from "./functions-screen.tsx";
