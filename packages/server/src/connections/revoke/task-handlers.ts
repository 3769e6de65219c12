import { stageFactsOf } from "#auth-modes";
import {
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  messageOf,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { recordOperation } from "#logs";
import type { TaskHandlers } from "#tasks";
import { openRevocation, type SealedRevocation } from "../sealed-credentials.ts";
import { hashHeldToken } from "./held-token.ts";
import { isTokenHeld } from "./held-token-store.ts";
import { findKept, forgetKept, forgetKeptBefore } from "./store.ts";
import type { connectionTasks } from "./tasks.ts";
import { withdrawToken } from "./withdraw-token.ts";

export const connectionTaskHandlers: TaskHandlers<typeof connectionTasks> = {
  /** Forgets the credentials once the provider knows, or when it will not hear of it. */
  revokeDeleted: async (ctx, { environment, connection: uuid }, { isLast }) => {
    const inside = withEnvironment(ctx, environment);
    const kept = await findKept(ctx.db, environment.id, uuid);
    if (kept === undefined) return;
    const startedAt = ctx.clock.now();
    let isShared = false;
    const withdraw = async (): Promise<undefined> => {
      const revocation = await openRevocation(inside, uuid, kept.sealed);
      isShared = await isHeldElsewhere(inside, uuid, revocation);
      if (!isShared) await withdrawToken(inside, revocation);
    };
    const failure = await withdraw().catch((error: unknown) => ({
      message: messageOf(error),
      ...stageFactsOf(error),
    }));
    if (failure !== undefined && !isLast) throw new Error(failure.message);
    await forgetKept(ctx.db, environment.id, uuid);
    if (failure !== undefined) {
      ctx.log.warn("connection.revoke_failed", { uuid, reason: failure.message });
    }
    recordOperation(inside, {
      type: "auth",
      action: "revoke_token",
      message: isShared
        ? `Keep the credentials of ${kept.connectionId}: another connection has the same token`
        : `Withdraw the credentials of ${kept.connectionId}`,
      connection: { id: kept.id, name: kept.connectionId },
      startedAt,
      ...(failure === undefined
        ? { state: "success" }
        : { state: "failed", error: { type: "revocation_failed", ...failure } }),
    });
  },
};

/** Only now, for the other may be deleted, or made, while the withdrawal waits. */
async function isHeldElsewhere(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  { credentials }: SealedRevocation,
): Promise<boolean> {
  const hash = await hashHeldToken(ctx, credentials);
  return hash !== null && (await isTokenHeld(ctx.db, hash, { except: uuid }));
}

/** Deletes what could not be withdrawn for a day, such as while no worker ran. */
export async function sweepRevocations(ctx: SystemContext): Promise<void> {
  const forgotten = await forgetKeptBefore(ctx.db, addMs(ctx.clock.now(), -DAY));
  if (forgotten > 0) ctx.log.warn("connection.revocations_dropped", { forgotten });
}
