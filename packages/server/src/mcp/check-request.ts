import { AppError, type EnvironmentContext } from "#foundation";

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Pages of other origins may not call: a page can reach a server on its visitor's computer under a name of its own
 * (DNS rebinding). Allowed are the server's own origin, those of SVC_MCP_ALLOWED_ORIGINS, and loopback on loopback.
 */
export function requireOwnOrigin(
  { settings }: Pick<EnvironmentContext, "settings">,
  origin: string | undefined,
): void {
  if (origin === undefined) return;
  const own = new URL(settings.serverUrl);
  const caller = URL.parse(origin);
  if (caller?.origin === own.origin || settings.mcpAllowedOrigins.includes(origin)) return;
  const isLocal = caller !== null && loopback.test(caller.hostname);
  if (isLocal && loopback.test(own.hostname)) return;
  throw new AppError(
    "forbidden",
    "Pages of this origin may not call tools; SVC_MCP_ALLOWED_ORIGINS names those that may.",
  );
}

/** Revisions that have batches; the first to do without them is of June 2025. */
const FIRST_WITHOUT_BATCHES = "2025-06-18";

export function requireSingleMessage(body: unknown, version: unknown): void {
  if (!Array.isArray(body) || typeof version !== "string") return;
  if (version < FIRST_WITHOUT_BATCHES) return;
  throw new AppError(
    "invalid_body",
    `Revision ${version} of the protocol has no batches: send one message a request.`,
  );
}
