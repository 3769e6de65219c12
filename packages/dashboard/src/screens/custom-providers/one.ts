export { ProviderScreen as Screen } from "./provider-screen.tsx";
