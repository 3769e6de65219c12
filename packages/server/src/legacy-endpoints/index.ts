// Owns the legacy endpoints: the deprecated paths /v1/* that functions declare for themselves. Tables: none.
export { legacyEndpoints } from "./slice.ts";
