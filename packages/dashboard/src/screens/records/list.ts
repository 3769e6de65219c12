export { RecordsScreen as Screen } from "./records-screen.tsx";
