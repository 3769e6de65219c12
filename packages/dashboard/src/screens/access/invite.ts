export { InviteScreen as Screen } from "./invite-screen.tsx";
