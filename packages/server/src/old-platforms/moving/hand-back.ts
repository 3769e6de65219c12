import { type Minted, secretConfigOf } from "#auth-modes";
import { openConnectionCredentials } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { MoveRefused } from "../old-platform.ts";
import { requireNoWithdrawal } from "./hand-over.ts";
import { beginStep, completeStep, type Move, undoStep } from "./steps.ts";

/**
 * Gives a connection that was handed over back: the old platform imports the current tokens, and this server forgets
 * its refresh token. Throws MoveRefused.
 */
export async function giveBack(ctx: EnvironmentContext, move: Move): Promise<void> {
  const { client, moved, connection } = move;
  if (connection.refresh.needsReauthorizationAt !== undefined) {
    throw new MoveRefused("wrong_state", "The end user has to authorize the connection again.");
  }
  // What is left there has an old refresh token; and what exists afterwards is what was imported.
  if (await client.exists(moved)) {
    await requireNoWithdrawal(move);
    await client.remove(moved);
  }
  await beginStep(ctx, move, { state: "handing_back" });
  await ctx.failpoints.hit("hand_back.begun");
  await importThere(ctx, move);
}

/** Finishes what was cut off. The credentials that now count. */
export async function resumeGiveBack(ctx: EnvironmentContext, move: Move): Promise<Minted> {
  if (await move.client.exists(move.moved)) return await complete(ctx, move);
  return await importThere(ctx, move);
}

async function importThere(ctx: EnvironmentContext, move: Move): Promise<Minted> {
  const { client, connection, moved } = move;
  const credentials = await openConnectionCredentials(ctx, connection);
  const { type, access_token, refresh_token, expires_at, config_override } = credentials;
  const { metadata, tags } = connection;
  const config = { ...connection.connectionConfig, ...secretConfigOf(credentials) };
  try {
    await client.add({
      provider_config_key: moved.integrationKey,
      connection_id: moved.connectionId,
      credentials: { type, access_token, refresh_token, expires_at, config_override },
      ...(metadata === undefined ? {} : { metadata }),
      ...(Object.keys(config).length === 0 ? {} : { connection_config: config }),
      ...(Object.keys(tags).length === 0 ? {} : { tags }),
    });
  } catch (error) {
    // An import that was asked for earlier may still be on its way.
    const isRefused = error instanceof MoveRefused && error.code === "import_refused";
    if (isRefused && moved.state === "handed_over") {
      await undoStep(ctx, move, { from: "handing_back", to: "handed_over" });
    }
    throw error;
  }
  await ctx.failpoints.hit("hand_back.imported");
  return await complete(ctx, move);
}

/** Without the refresh token, which is the old platform's again. */
async function complete(ctx: EnvironmentContext, move: Move): Promise<Minted> {
  const current = await openConnectionCredentials(ctx, move.connection);
  const { refresh_token: _given, raw: _raw, ...rest } = current;
  const { access_token, expires_at } = current;
  const raw = { access_token, ...(expires_at === undefined ? {} : { expires_at }) };
  const minted = {
    credentials: { ...rest, type: current.type, raw },
    expiresAt: move.connection.credentialsExpireAt,
    capturedConfig: {},
  };
  const end = { from: "handing_back", to: "read_through", oldSide: null } as const;
  return await completeStep(ctx, move, { ...end, minted, current });
}
