// Owns streams of server-sent events, which say what has changed so that a screen reads it again. No tables.

export { events } from "./slice.ts";
