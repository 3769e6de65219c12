// Owns the transport for language models: an integration's actions as tools of the Model Context Protocol.
// Tables: none; nothing outlives a request.
export { mcp } from "./slice.ts";
