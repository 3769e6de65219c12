import type { Minted } from "#auth-modes";
import { addMs, type EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { type Connection, hasRefreshToken } from "../connection.ts";
import type { IdleSchedule } from "../renewal-times.ts";
import { refreshIdleMs } from "../renewal-times.ts";
import { storeNextRefresh } from "../store.ts";

// Half a period is waited at least; a tenth is left for the renewal itself.
const SLOTS_SHARE = 0.4;

/**
 * Renewal within the idle period, or before a longer-lived token expires; undefined where no refresh
 * token ages.
 */
export function toIdleSchedule(
  { credentials, expiresAt }: Pick<Minted, "credentials" | "expiresAt">,
  issuedAt: Date,
  idleMs: number,
): IdleSchedule | undefined {
  if (!hasRefreshToken(credentials)) return undefined;
  const inHalf = addMs(issuedAt, idleMs / 2);
  const lateMs = Math.max(0, (expiresAt?.getTime() ?? 0) - idleMs / 2 - inHalf.getTime());
  return { earliest: addMs(inHalf, lateMs), slotsMs: idleMs * SLOTS_SHARE };
}

/** For credentials that did not come from a refresh. */
export async function planIdleRefresh(
  ctx: EnvironmentContext,
  { integration, connection: { uuid } }: { integration: Integration; connection: Connection },
  minted: Minted,
): Promise<void> {
  const idleMs = refreshIdleMs(ctx, integration);
  const schedule = toIdleSchedule(minted, ctx.clock.now(), idleMs);
  if (schedule === undefined) return;
  await storeNextRefresh(ctx.db, ctx.environment.id, uuid, schedule);
}
