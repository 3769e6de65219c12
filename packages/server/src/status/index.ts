// Owns what a process answers about itself: health, readiness, the OpenAPI document. Tables: none.
export { createStatusHandlers } from "./routes.ts";
