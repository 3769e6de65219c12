import { type Minted, ProviderFailure } from "#auth-modes";
import { openConnectionCredentials, type ReadingThrough } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { OldPlatformClient } from "../client/old-platform-client.ts";
import { toMinted } from "../client/to-minted.ts";
import { MoveRefused, type OldPlatform } from "../old-platform.ts";
import { findMoved, findPlatform } from "../store.ts";
import { resumeGiveBack } from "./hand-back.ts";
import { resumeTakeOver } from "./hand-over.ts";
import { newMove } from "./steps.ts";

/**
 * The current credentials of a connection that an old platform refreshes, without the refresh token; first finishes a
 * hand-over or a way back that was cut off. Throws ProviderFailure.
 */
export async function readThrough(
  ctx: EnvironmentContext,
  reading: ReadingThrough,
): Promise<Minted> {
  const { connection, integration, attempt } = reading;
  const { db, environment } = ctx;
  const platform = await findPlatform(db, environment.id, connection.readThrough ?? "");
  const moved = await findMoved(db, environment.id, connection.uuid);
  if (platform === undefined || moved === undefined) {
    throw new ProviderFailure("misconfigured", "The old platform is no longer known.");
  }
  const move = newMove(ctx, { platform, integration, moved, connection, attempt });
  try {
    if (moved.state === "handing_over") return await resumeTakeOver(ctx, move);
    if (moved.state === "handing_back") return await resumeGiveBack(ctx, move);
    return await readCurrent(ctx, platform, reading);
  } catch (error) {
    throw error instanceof MoveRefused ? toFailure(error) : error;
  }
}

async function readCurrent(
  ctx: EnvironmentContext,
  platform: OldPlatform,
  { connection, integration, force }: ReadingThrough,
): Promise<Minted> {
  const client = new OldPlatformClient(ctx, platform);
  const name = { integrationKey: integration.uniqueKey, connectionId: connection.connectionId };
  const wanted = { type: connection.authMode, withRefreshToken: false };
  const found = toMinted(platform, await client.read(name, { ...wanted, force: false }), wanted);
  if (!force) return found;
  // The provider has refused what is known here: where the old platform has nothing newer, it renews.
  const known = await openConnectionCredentials(ctx, connection);
  if (found.credentials["access_token"] !== known["access_token"]) return found;
  return toMinted(platform, await client.read(name, { ...wanted, force: true }), wanted);
}

function toFailure(error: MoveRefused): ProviderFailure {
  const isLasting =
    error.code === "old_platform_refused" || error.code === "old_platform_invalid_answer";
  const kind = isLasting ? "misconfigured" : "unavailable";
  return new ProviderFailure(kind, error.message, { cause: error });
}
