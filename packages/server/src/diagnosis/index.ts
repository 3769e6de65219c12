// Owns the diagnosis of a connection: each part of the way to its provider, tried in order, and what
// its credentials consist of and allow. No tables.
export { diagnosis } from "./slice.ts";
