export { ModelsScreen as Screen } from "./models-screen.tsx";
