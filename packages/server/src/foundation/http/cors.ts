import type { FastifyCorsOptions } from "@fastify/cors";
import type { FastifyRequest } from "fastify";
import { pathOf } from "./callers/repeated-refusals.ts";
import type { NameAliases } from "./routes/name-aliases.ts";

const allowed = [
  "Authorization",
  "Content-Type",
  "Accept",
  "Origin",
  "X-Requested-With",
  "Svc-Activity-Log-Id",
  "Svc-Is-Sync",
  "Svc-Is-Script",
  "Svc-Is-Dry-Run",
  "Provider-Config-Key",
  "Connection-Id",
  "Idempotency-Key",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Session-Id",
  "Sentry-Trace",
  "Baggage",
];

const exposed = [
  "Authorization",
  "Etag",
  "Content-Type",
  "Content-Length",
  "X-Svc-Signature",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "WWW-Authenticate",
  "Mcp-Session-Id",
  "Svc-Error-Source",
  "Deprecation",
  "Sunset",
  "Link",
];

/** Every origin may call; without `Origin` no such header is sent. */
export function corsOptions(aliases: NameAliases | undefined) {
  const spell = (names: readonly string[]) =>
    names.flatMap((name) => aliases?.spellingsOf(name) ?? [name]);
  const open: FastifyCorsOptions = {
    origin: true,
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    maxAge: 600,
    strictPreflight: false,
    allowedHeaders: spell(allowed),
    exposedHeaders: spell(exposed),
  };
  // Older clients' pages send it with their cookies, which nothing here reads.
  const telemetry: FastifyCorsOptions = { ...open, credentials: true };
  const closed: FastifyCorsOptions = { origin: false };
  return {
    delegator: (
      request: FastifyRequest,
      done: (error: null, options: FastifyCorsOptions) => void,
    ) => {
      if (request.headers.origin === undefined) return done(null, closed);
      // Every other OPTIONS with an origin is a request of its own.
      const preflight = request.headers["access-control-request-method"] !== undefined;
      const options = pathOf(request.url) === "/connect/telemetry" ? telemetry : open;
      done(null, { ...options, preflight });
    },
  };
}
