// Owns the running of actions on demand. Tables: none.
export { actionHandlers } from "./routes.ts";
