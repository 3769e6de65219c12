export { RevocationScreen as Screen } from "./revocation-screen.tsx";
