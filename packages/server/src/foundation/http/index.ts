// Owns the HTTP transport: fastify, validation by the contract, the one error body.
export { digestOfBody } from "../bodies/index.ts";
export type { AuditTrail, NotedCall } from "./answers/audit-trail.ts";
export { SharedAnswers } from "./answers/shared-answers.ts";
export { boundWaits } from "./bounded-waits.ts";
export { clientAddress } from "./callers/client-address.ts";
export { isBrowserSign, isFromBrowser } from "./hosts/browser-signs.ts";
export { isForHost } from "./hosts/is-for-host.ts";
export { createHttpServer } from "./http-server.ts";
export { closeWithin, refuseConnections } from "./leaving.ts";
export { putInFront } from "./put-in-front.ts";
export { RequestLog } from "./requests/request-log.ts";
export { countRequest, LEFT } from "./requests/request-metrics.ts";
export { beginRequest } from "./requests/request-span.ts";
export type { RawExchange, RouteHandlers } from "./routes/handlers.ts";
export type { Idempotency, IdempotencyLease, RecordedAnswer } from "./routes/idempotency.ts";
export type { NameAliases } from "./routes/name-aliases.ts";
export { RoutesInProgress } from "./routes/routes-in-progress.ts";
export { type ServedRoute, serveRoutes } from "./routes/served-route.ts";
