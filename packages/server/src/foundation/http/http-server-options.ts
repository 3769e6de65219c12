import type { IncomingMessage } from "node:http";
import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import type { EnvironmentContext, SystemContext } from "../context.ts";
import type { Logger } from "../logger/index.ts";
import type { AuditTrail } from "./answers/audit-trail.ts";
import type { RecentFailures } from "./answers/recent-failures.ts";
import type { CallerDeadlines } from "./callers/slow-callers.ts";
import type { RequestLog } from "./requests/request-log.ts";
import type { Idempotency } from "./routes/idempotency.ts";
import type { NameAliases } from "./routes/name-aliases.ts";
import type { RoutesInProgress } from "./routes/routes-in-progress.ts";
import type { ServedRoute } from "./routes/served-route.ts";

export interface HttpServerOptions {
  readonly routes: readonly ServedRoute[];
  /** Proves who calls and returns the context for the route, or throws 401, 403 or 429. */
  readonly authorize: (
    request: FastifyRequest,
    route: RouteDefinition,
    signal: AbortSignal,
    reply: FastifyReply,
  ) => Promise<SystemContext | EnvironmentContext>;
  readonly bodyLimitBytes: number;
  /** Input of an action; 10 MiB unless given. */
  readonly actionValueLimitBytes?: number;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly newErrorId: () => string;
  /** Without one, nothing is kept account of. */
  readonly audit?: AuditTrail | undefined;
  readonly idempotency?: Idempotency;
  readonly aliases?: NameAliases | undefined;
  /** The name under which browsers reach providers, and nothing else; undefined: that of everything. */
  readonly proxyHost?: string | undefined;
  readonly deadlines?: CallerDeadlines;
  /** Addresses and ranges whose `X-Forwarded-For` says who calls; nobody's unless given. */
  readonly trustedProxies?: readonly string[];
  /** What each request leaves in the operator's log; undefined where nothing is to. */
  readonly requestLog?: RequestLog | undefined;
  /** Where requests are noted that are answered with 500. */
  readonly failures?: RecentFailures | undefined;
  /** Where requests are noted while they are served. */
  readonly inProgress?: RoutesInProgress;
  /** Upgrades that something takes over; others are answered as plain requests. */
  readonly takesUpgrade?: ((request: IncomingMessage) => boolean) | undefined;
  /** Aborted when the process takes no more connections, and serves on for a moment over those that there are. */
  readonly leaving?: AbortSignal;
}
