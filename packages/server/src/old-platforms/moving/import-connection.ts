import type { AuthModeId } from "@jackfield/catalogue";
import { type Credentials, getAuthMode } from "#auth-modes";
import { createConnection, findConnection } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { getIntegration, providerOf } from "#integrations";
import {
  type Named,
  type OldConnection,
  OldPlatformClient,
} from "../client/old-platform-client.ts";
import { toMinted } from "../client/to-minted.ts";
import { type MovedConnection, MoveRefused, type OldPlatform } from "../old-platform.ts";
import { findMoved } from "../store.ts";

/**
 * Imports a connection without its refresh token: the old platform keeps refreshing it. Throws unknown_provider_config,
 * invalid_auth_mode, conflict where the connection exists, and upstream_unavailable.
 */
export async function importConnection(
  ctx: EnvironmentContext,
  platform: OldPlatform,
  { integrationKey, connectionId }: Named,
): Promise<MovedConnection> {
  requireNoQuarantine(ctx);
  const integration = await getIntegration(ctx, integrationKey);
  const { id: type, canReadThrough = false } = getAuthMode(providerOf(integration).auth_mode);
  if (!canReadThrough) {
    throw new AppError(
      "invalid_auth_mode",
      `Connections of ${type} have no refresh token that two sides could use up: import them with \`POST /connections\`.`,
    );
  }
  if ((await findConnection(ctx, { integration, connectionId })) !== undefined) {
    throw new AppError("conflict", `The connection ${connectionId} exists here already.`);
  }
  const old = await readOld(ctx, platform, { integrationKey, connectionId, type });
  const { connection } = await createConnection(ctx, {
    ...{ integration, connectionId, readThrough: platform.id, credentials: old.credentials },
    metadata: old.connection.metadata ?? undefined,
    connectionConfig: textsOf(old.connection.connection_config ?? {}),
    tags: tagsOf(old.connection),
    webhookUrlOverride: undefined,
  });
  const moved = await findMoved(ctx.db, ctx.environment.id, connection.uuid);
  if (moved === undefined) throw new AppError("unknown_connection", "The connection was deleted.");
  return moved;
}

/** In a copy the old platform's connections are those of the original. */
export function requireNoQuarantine(ctx: EnvironmentContext): void {
  if (ctx.settings.quarantine.since === undefined) return;
  throw new AppError(
    "quarantined",
    "This copy of an installation moves no connections until its operator runs `jackfield resume`.",
  );
}

async function readOld(
  ctx: EnvironmentContext,
  platform: OldPlatform,
  { type, ...name }: Named & { readonly type: AuthModeId },
): Promise<{ connection: OldConnection; credentials: Credentials }> {
  const wanted = { type, withRefreshToken: false };
  try {
    const client = new OldPlatformClient(ctx, platform);
    const connection = await client.read(name, { ...wanted, force: false });
    const { raw: _raw, ...credentials } = toMinted(platform, connection, wanted).credentials;
    return { connection, credentials: { ...credentials, type } };
  } catch (error) {
    if (!(error instanceof MoveRefused)) throw error;
    throw new AppError("upstream_unavailable", error.message, { cause: error });
  }
}

function textsOf(config: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const texts = Object.entries(config).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

function tagsOf({ tags, end_user: endUser }: OldConnection): Record<string, string> | undefined {
  const all = {
    ...(endUser == null ? {} : { end_user_id: endUser.id }),
    ...(endUser?.email ? { end_user_email: endUser.email } : {}),
    ...(endUser?.display_name ? { end_user_display_name: endUser.display_name } : {}),
    ...tags,
  };
  return Object.keys(all).length === 0 ? undefined : all;
}
