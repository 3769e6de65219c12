// Owns the catalogue as files: YAML for people, and what is generated from it. Nothing of it runs at start.

export { compileCatalogue } from "./built-in/compiled-catalogue.ts";
export {
  type Catalogue,
  CatalogueError,
  loadCatalogue,
  readFolder,
} from "./built-in/load-catalogue.ts";
export { checkBuiltIn } from "./checks/check-built-in.ts";
export { compileLogos, type Icon } from "./logos/compiled-logos.ts";
export { type RawEntry, readFamily } from "./reading/read-family.ts";
