// Owns what is asked about the process itself: health, readiness, the description of the API. No tables.
export { createInstallationHandlers } from "./routes.ts";
