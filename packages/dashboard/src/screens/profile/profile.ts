export { ProfileScreen as Screen } from "./profile-screen.tsx";
