export { DeliveryScreen as Screen } from "./delivery-screen.tsx";
