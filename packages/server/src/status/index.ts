// Owns what a process answers about itself: health, readiness, the OpenAPI document, the page at its address and the
// guides. Tables: none.
export { type Degraded, degradation, readiness } from "./routes.ts";
export { status } from "./slice.ts";
