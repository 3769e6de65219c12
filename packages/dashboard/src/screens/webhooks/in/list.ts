export { InboxScreen as Screen } from "./inbox-screen.tsx";
