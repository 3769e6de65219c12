// Owns what is asked about the process itself: health, readiness, the description of the API. No tables.
export { readiness } from "./routes.ts";
export { installation } from "./slice.ts";
