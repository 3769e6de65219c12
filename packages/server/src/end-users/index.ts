// Owns the erasure of what belongs to one end user, wherever it is; the slices below know what they hold.
// Table: erasures.
export { namesErasing } from "./hooks.ts";
export { endUsers } from "./slice.ts";
