// Owns the deprecated paths /v1/*: endpoints that functions declare for themselves. Tables: none.
export { endpoints } from "./slice.ts";
