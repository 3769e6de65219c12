export { DeliveriesScreen as Screen } from "./deliveries-screen.tsx";
