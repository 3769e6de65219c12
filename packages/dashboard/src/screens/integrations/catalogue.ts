export { CatalogueScreen as Screen } from "./catalogue-screen.tsx";
