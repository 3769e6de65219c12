export { DestinationsScreen as Screen } from "./destinations-screen.tsx";
