export { RevocationsScreen as Screen } from "./revocations-screen.tsx";
