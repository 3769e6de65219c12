// Owns the catalogue as files: YAML for people, and what is generated from it. Nothing of it runs at start.
export { checkBuiltIn } from "./check-built-in.ts";
export { compileCatalogue } from "./compiled-catalogue.ts";
export { type Catalogue, CatalogueError, loadCatalogue, readFolder } from "./load-catalogue.ts";
export { compileLogos, type Icon } from "./logos/compiled-logos.ts";
export { type RawEntry, readFamily } from "./read-family.ts";
