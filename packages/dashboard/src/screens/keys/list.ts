export { KeysScreen as Screen } from "./keys-screen.tsx";
