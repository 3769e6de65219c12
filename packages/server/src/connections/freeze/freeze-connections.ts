import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { findRefresh } from "../refresh/store.ts";
import { type FrozenRow, freezeRows, unfreezeRows } from "./store.ts";

/** A connection that was frozen, and when it would have been refreshed for not being used. */
export type FrozenConnection = FrozenRow;

/** Keeps everyone from using these connections from the commit on; every process sees it within a second. */
export async function freezeConnections(
  ctx: EnvironmentContext,
  { uuids, revocationId }: { uuids: readonly ConnectionUuid[]; revocationId: string },
): Promise<FrozenConnection[]> {
  const freezing = { uuids, by: revocationId, now: ctx.clock.now() };
  return await freezeRows(ctx.db, ctx.environment.id, freezing);
}

/** Lets these connections be used again; resolves to those that this revocation had frozen. */
export async function releaseConnections(
  ctx: EnvironmentContext,
  { frozen, revocationId }: { frozen: readonly FrozenConnection[]; revocationId: string },
): Promise<ConnectionUuid[]> {
  return await unfreezeRows(ctx.db, ctx.environment.id, { frozen, by: revocationId });
}

/** Whether a refresh that began before is still under way, whose answer has to be withdrawn too. */
export async function isRefreshRunning(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
): Promise<boolean> {
  return (await findRefresh(ctx.db, ctx.environment.id, uuid))?.isRunning === true;
}
