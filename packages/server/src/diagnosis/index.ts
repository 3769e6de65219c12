// Owns the diagnosis of a connection: each part of the way to its provider, tried in order. No tables.
export { diagnosis } from "./slice.ts";
