export { ProblemsScreen as Screen } from "./problems-screen.tsx";
