import { type AuthSubject, getAuthMode } from "#auth-modes";
import { findProviderOf, wayOut } from "#integrations";
import { recordOperation } from "#logs";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  type InstallationContext,
  messageOf,
  SECOND,
  withEnvironment,
} from "#platform";
import type { TaskHandlers } from "#tasks";
import { openRevocation, type SealedRevocation } from "../sealed-credentials.ts";
import { findKept, forgetKept, forgetKeptBefore } from "./store.ts";
import type { connectionTasks } from "./tasks.ts";

const PATIENCE_MS = 5 * SECOND;

export const connectionTaskHandlers: TaskHandlers<typeof connectionTasks> = {
  /** Forgets the credentials once the provider knows, or when it will not hear of it. */
  revokeDeleted: async (ctx, { environment, connection: uuid }, { isLast }) => {
    const inside = withEnvironment(ctx, environment);
    const kept = await findKept(ctx.db, environment.id, uuid);
    if (kept === undefined) return;
    const startedAt = ctx.clock.now();
    const failure = await withdraw(inside, async () =>
      openRevocation(inside, uuid, kept.sealed),
    ).catch((error: unknown) => messageOf(error));
    if (failure !== undefined && !isLast) throw new Error(failure);
    await forgetKept(ctx.db, environment.id, uuid);
    if (failure !== undefined) ctx.log.warn("connection.revoke_failed", { uuid, reason: failure });
    recordOperation(inside, {
      type: "auth",
      action: "revoke_token",
      message: `Withdraw the credentials of ${kept.connectionId}`,
      connection: { id: kept.id, name: kept.connectionId },
      startedAt,
      ...(failure === undefined
        ? { state: "success" }
        : { state: "failed", error: { type: "revocation_failed", message: failure } }),
    });
  },
};

/** Undefined when it is done; throws what prevented it. */
async function withdraw(
  ctx: EnvironmentContext,
  open: () => Promise<SealedRevocation>,
): Promise<undefined> {
  const { provider: id, definition, credentials, settings = {}, ...known } = await open();
  const provider = findProviderOf({ provider: id, definition, settings });
  if (provider === undefined) throw new Error(`The catalogue has no provider ${id} any more.`);
  const subject: AuthSubject = {
    ...known,
    provider,
    integrationCredentials: known.integrationCredentials,
  };
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const tools = { http: wayOut(ctx, { settings }), now: ctx.clock.now(), signal };
  await getAuthMode(provider.auth_mode).revoke?.(subject, credentials, tools);
}

/** Deletes what could not be withdrawn for a day, such as while no worker ran. */
export async function sweepRevocations(ctx: InstallationContext): Promise<void> {
  const forgotten = await forgetKeptBefore(ctx.db, addMs(ctx.clock.now(), -DAY));
  if (forgotten > 0) ctx.log.warn("connection.revocations_dropped", { forgotten });
}
