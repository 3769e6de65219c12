import { setTimeout as sleep } from "node:timers/promises";
import type { Minted } from "#auth-modes";
import { openConnectionCredentials } from "#connections";
import { addMs, type EnvironmentContext, MINUTE, SECOND } from "#foundation";
import { toMinted } from "../client/to-minted.ts";
import { MoveRefused } from "../old-platform.ts";
import { openTaken, sealTaken } from "./sealed-taken.ts";
import { beginStep, completeStep, type Move, undoStep } from "./steps.ts";

// The longest time before the end at which such platforms refresh (15 min), and a little more.
const REFRESHED_WITHIN_MS = 20 * MINUTE;
const PAUSE_BETWEEN_READS_MS = SECOND;

/**
 * Takes a connection over that is read through: its current credentials, and then the old platform's right to refresh
 * them. Throws MoveRefused; the old platform then still refreshes, or nobody does while its answer is unknown.
 */
export async function takeOver(
  ctx: EnvironmentContext,
  move: Move,
  oldSide: "delete" | "stopped",
): Promise<void> {
  const { platform, connection } = move;
  if (platform.id !== connection.readThrough) throw wrongState();
  if (oldSide === "delete") await requireNoWithdrawal(move);
  const taken = await readFully(ctx, move);
  const current = await openConnectionCredentials(ctx, connection);
  const end = { from: "read_through", to: "handed_over", current } as const;
  if (taken.credentials["refresh_token"] === undefined) {
    await completeStep(ctx, move, { ...end, minted: taken, oldSide: "unchanged" });
    return;
  }
  if (oldSide === "stopped") await sleep(PAUSE_BETWEEN_READS_MS, undefined, { signal: ctx.signal });
  const minted = await requireUnused(ctx, move, taken);
  if (oldSide === "stopped") {
    await completeStep(ctx, move, { ...end, minted, oldSide: "stopped" });
    return;
  }
  await beginStep(ctx, move, {
    state: "handing_over",
    taken: await sealTaken(ctx, move.moved.uuid, minted),
  });
  await ctx.failpoints.hit("hand_over.begun");
  await removeAndComplete(ctx, move, minted);
}

/**
 * Finishes a hand-over that was cut off. Only forward: the deletion may still be on its way. The credentials that now
 * count.
 */
export async function resumeTakeOver(ctx: EnvironmentContext, move: Move): Promise<Minted> {
  const { client, moved } = move;
  if (moved.taken === null) throw wrongState();
  const taken = await openTaken(ctx, moved.uuid, moved.taken);
  if (!(await client.exists(moved))) return await complete(ctx, move, taken);
  const newer = await readFully(ctx, move);
  await beginStep(ctx, move, {
    state: "handing_over",
    taken: await sealTaken(ctx, moved.uuid, newer),
  });
  return await removeAndComplete(ctx, move, newer);
}

/** The caller knows that the old platform refreshes no more, though it does not say so. */
export async function confirmTakeOver(ctx: EnvironmentContext, move: Move): Promise<void> {
  const { moved, connection } = move;
  if (moved.state === "handing_back") {
    await undoStep(ctx, move, { from: "handing_back", to: "handed_over" });
    return;
  }
  if (moved.taken === null) throw wrongState();
  const end = { from: "handing_over", to: "handed_over", oldSide: "stopped" } as const;
  const minted = await openTaken(ctx, moved.uuid, moved.taken);
  const current = await openConnectionCredentials(ctx, connection);
  await completeStep(ctx, move, { ...end, minted, current });
}

async function removeAndComplete(
  ctx: EnvironmentContext,
  move: Move,
  minted: Minted,
): Promise<Minted> {
  const { client, moved, platform } = move;
  try {
    await client.remove(moved);
  } catch (error) {
    const isRefused = error instanceof MoveRefused && error.code === "deletion_refused";
    // A deletion that was asked for earlier may still be on its way.
    if (isRefused && moved.state === "read_through") {
      await undoStep(ctx, move, { from: "handing_over", to: "read_through" });
    }
    throw error;
  }
  await ctx.failpoints.hit("hand_over.deleted");
  if (await client.exists(moved)) {
    throw new MoveRefused(
      "not_deleted",
      `${platform.name} still lists the connection after its deletion; repeat the hand-over.`,
    );
  }
  return await complete(ctx, move, minted);
}

async function complete(ctx: EnvironmentContext, move: Move, minted: Minted): Promise<Minted> {
  const current = await openConnectionCredentials(ctx, move.connection);
  const end = { from: "handing_over", to: "handed_over", oldSide: "deleted" } as const;
  return await completeStep(ctx, move, { ...end, minted, current });
}

/** Also there a deletion may withdraw the tokens: then they would be lost to both sides. */
export async function requireNoWithdrawal({ client, moved, platform }: Move): Promise<void> {
  if (!(await client.withdrawsOnDelete(moved.integrationKey))) return;
  throw new MoveRefused(
    "old_side_withdraws",
    `${platform.name} withdraws tokens when a connection is deleted: set \`revoke_on_delete\` of its integration ${moved.integrationKey} to false first.`,
  );
}

/** The credentials with the refresh token, renewed there so recently that nothing there is about to renew them. */
async function readFully(ctx: EnvironmentContext, move: Move): Promise<Minted> {
  const { client, moved, platform, connection } = move;
  const wanted = { type: connection.authMode, withRefreshToken: true };
  const taken = toMinted(platform, await client.read(moved, { ...wanted, force: false }), wanted);
  if (taken.credentials["refresh_token"] === undefined || !isAboutToEnd(ctx, taken)) return taken;
  return toMinted(platform, await client.read(moved, { ...wanted, force: true }), wanted);
}

/** Reads once more: a refresh token that has changed since is in use there. */
async function requireUnused(
  ctx: EnvironmentContext,
  { client, moved, platform, connection }: Move,
  taken: Minted,
): Promise<Minted> {
  const wanted = { type: connection.authMode, withRefreshToken: true };
  // Reading would itself have it renewed.
  if (isAboutToEnd(ctx, taken)) return taken;
  const minted = toMinted(platform, await client.read(moved, { ...wanted, force: false }), wanted);
  if (minted.credentials["refresh_token"] === taken.credentials["refresh_token"]) return minted;
  throw new MoveRefused(
    "old_side_refreshing",
    `${platform.name} has refreshed the connection between two reads: stop the syncs and calls that use it there, then repeat the hand-over.`,
  );
}

function isAboutToEnd(ctx: EnvironmentContext, { expiresAt }: Minted): boolean {
  return expiresAt !== undefined && expiresAt < addMs(ctx.clock.now(), REFRESHED_WITHIN_MS);
}

function wrongState(): MoveRefused {
  return new MoveRefused("wrong_state", "The connection is no longer read through.");
}
