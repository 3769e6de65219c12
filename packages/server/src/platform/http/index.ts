// Owns the HTTP transport: fastify, validation by the contract, the one error body.
export type { RawExchange, RouteHandlers } from "./handlers.ts";
export { createHttpServer } from "./http-server.ts";
