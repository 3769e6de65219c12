// Owns the HTTP transport: fastify, validation by the contract, the one error body.
export { digestOfBody } from "../bodies/index.ts";
export type { AuditTrail, NotedCall } from "./answers/audit-trail.ts";
export { boundWaits } from "./bounded-waits.ts";
export { clientAddress } from "./callers/client-address.ts";
export type { RawExchange, RouteHandlers } from "./handlers.ts";
export { isBrowserSign, isFromBrowser } from "./hosts/browser-signs.ts";
export { isForHost } from "./hosts/is-for-host.ts";
export { createHttpServer } from "./http-server.ts";
export type { Idempotency, IdempotencyLease, RecordedAnswer } from "./idempotency.ts";
export { closeWithin, refuseConnections } from "./leaving.ts";
export type { NameAliases } from "./name-aliases.ts";
export { putInFront } from "./put-in-front.ts";
export { RequestLog } from "./request-log.ts";
export { countRequest, LEFT } from "./request-metrics.ts";
export { beginRequest } from "./request-span.ts";
export { RoutesInProgress } from "./routes-in-progress.ts";
export { type ServedRoute, serveRoutes } from "./served-route.ts";
