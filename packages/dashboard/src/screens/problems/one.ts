export { ProblemScreen as Screen } from "./problem-screen.tsx";
