export { EnvironmentsScreen as Screen } from "./environments-screen.tsx";
