// Owns the environment itself as tools for coding agents, each a route of the API under the key's own scopes.
export { management } from "./slice.ts";
