export { InboundScreen as Screen } from "./inbound-screen.tsx";
