export { NewProviderScreen as Screen } from "./new-provider-screen.tsx";
