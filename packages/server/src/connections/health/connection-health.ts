import type { Credentials } from "#auth-modes";
import { AppError, type EnvironmentContext, reasonOf } from "#foundation";
import type { Connection } from "../connection.ts";
import { openCredentials } from "../sealed-credentials.ts";
import type { ConnectionHealth } from "./connection-state.ts";
import { presentFailure } from "./refresh-failure.ts";
import { type HealthRow, listHealthRows } from "./store.ts";

/** Health of the credentials of connections, by the ids of the connections. */
export async function listHealth(
  ctx: EnvironmentContext,
  connections: readonly Pick<Connection, "id">[],
): Promise<ReadonlyMap<number, ConnectionHealth>> {
  const ids = connections.map(({ id }) => id);
  const rows = await listHealthRows(ctx.db, ctx.environment.id, ids);
  const opened = await Promise.allSettled(rows.map(async (row) => await openCredentials(ctx, row)));
  const failed = opened.find(({ status }) => status === "rejected");
  // Credentials that cannot be decrypted do not keep the list from being shown.
  if (failed?.status === "rejected") {
    ctx.log.warn("connections.credentials_unreadable", { reason: reasonOf(failed.reason) });
  }
  return new Map(
    rows.map((row, index) => {
      const own = opened[index];
      const credentials = own?.status === "fulfilled" ? own.value : undefined;
      return [row.id, presentHealth(row, credentials)];
    }),
  );
}

/** The same of one; throws unknown_connection when it is gone. */
export async function getHealth(
  ctx: EnvironmentContext,
  connection: Pick<Connection, "id">,
): Promise<ConnectionHealth> {
  const health = (await listHealth(ctx, [connection])).get(connection.id);
  if (health === undefined) throw new AppError("unknown_connection");
  return health;
}

function presentHealth(row: HealthRow, credentials: Credentials | undefined): ConnectionHealth {
  const nextAt = row.state === "backoff" ? row.notBefore : row.nextRefreshAt;
  const answer = asObject(credentials?.["raw"]);
  return {
    state: row.state,
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_refreshed_at: row.issuedAt?.toISOString() ?? null,
    next_refresh_at: nextAt?.toISOString() ?? null,
    reauthorize_by: row.reauthorizeBy?.toISOString() ?? null,
    last_used_on: row.usedOn,
    refresh_failures: row.failures,
    failure: presentFailure(row),
    account_identity: identityOf(answer["id_token"]),
    scopes_granted: scopesOf(answer["scope"]),
  };
}

/** Who the account is at its provider, as far as the token answer says. */
export function accountIdentityOf(credentials: Credentials): string | null {
  return identityOf(asObject(credentials["raw"])["id_token"]);
}

const MOST_SCOPES = 500;

/** RFC 6749 separates them by spaces; several providers by commas, or they send a list. */
function scopesOf(scope: unknown): string[] | null {
  const parts = Array.isArray(scope)
    ? scope
    : typeof scope === "string"
      ? scope.split(/[\s,]+/)
      : [];
  const scopes = parts.filter((part): part is string => typeof part === "string" && part !== "");
  return scopes.length === 0 ? null : scopes.slice(0, MOST_SCOPES);
}

const MOST_CHARACTERS = 255;

/**
 * What an ID token (https://openid.net/specs/openid-connect-core-1_0.html#IDToken) says about the account. It came from
 * the token endpoint itself, and nothing is allowed by it: its signature does not matter.
 */
function identityOf(token: unknown): string | null {
  const [, payload] = typeof token === "string" ? token.split(".") : [];
  if (payload === undefined) return null;
  const claims = parseObject(Buffer.from(payload, "base64url").toString("utf8"));
  const named = ["email", "preferred_username", "sub"].map((name) => claims[name]);
  const found = named.find((claim) => typeof claim === "string" && claim !== "");
  return typeof found === "string" ? found.slice(0, MOST_CHARACTERS) : null;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
