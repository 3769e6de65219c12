import { hideTexts } from "#auth-modes";
import type { EnvironmentContext } from "#foundation";
import type { Connection } from "../connection.ts";
import { getConnectionForCallIfCached } from "../read/find-connection-for-call.ts";
import { openCredentials } from "../sealed-credentials.ts";

// Shorter ones are in ordinary words.
const SHORTEST = 8;
const MAX_DEPTH = 8;

/** Fields among credentials that tell nobody anything. */
const plainFields: ReadonlySet<string> = new Set([
  ...[
    "type",
    "expires_at",
    "expiresAt",
    "expires_in",
    "token_type",
    "tokenType",
    "scope",
    "scopes",
  ],
  ...["username", "client_id", "clientId", "app_id", "region", "service", "role_arn", "host"],
]);

/** The text without the connection's credentials, also as they look in JSON, in addresses, in hex and in base64. */
export async function hideCredentials(
  ctx: EnvironmentContext,
  { integration: integrationKey, connection }: { integration: string; connection: Connection },
  text: string,
): Promise<string> {
  const { connectionId } = connection;
  // They may have been renewed meanwhile.
  const now = getConnectionForCallIfCached(ctx, ctx.environment.id, {
    ...{ integrationKey, connectionId },
  });
  const held = now === undefined ? [connection] : [connection, now.connection];
  const credentials = await Promise.all(held.map((each) => openCredentials(ctx, each)));
  return hideTexts(text, collect(credentials, 0));
}

function collect(value: unknown, depth: number): string[] {
  if (typeof value === "string") return value.length >= SHORTEST ? [value] : [];
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    plainFields.has(name) ? [] : collect(each, depth + 1),
  );
}
