export { HomeScreen as Screen } from "./home-screen.tsx";
