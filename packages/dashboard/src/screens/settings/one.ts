export { SettingsScreen as Screen } from "./settings-screen.tsx";
