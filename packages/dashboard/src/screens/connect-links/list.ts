export { ConnectLinksScreen as Screen } from "./connect-links-screen.tsx";
