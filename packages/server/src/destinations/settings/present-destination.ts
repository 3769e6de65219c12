import { type EnvironmentContext, SECOND } from "#foundation";
import { findWaitingSince } from "#records";
import { folderOf } from "../bucket/bucket-address.ts";
import { type Destination, stateOf } from "../destination.ts";

/** The public shape, without URL and keys. */
export async function presentDestination(ctx: EnvironmentContext, destination: Destination) {
  const { errorCode, errorMessage, errorAt } = destination;
  const common = {
    id: destination.id,
    name: destination.name,
    address: destination.address,
    models: destination.models === null ? null : [...destination.models],
    integrations: destination.integrations === null ? null : [...destination.integrations],
    state: stateOf(destination),
    pause_reason: destination.pauseReason,
    delivered: destination.delivered,
    last_delivered_at: destination.lastDeliveredAt?.toISOString() ?? null,
    lag_seconds: await lagOf(ctx, destination),
    failures: destination.failures,
    failing_since: destination.failingSince?.toISOString() ?? null,
    last_error:
      errorCode === null || errorMessage === null || errorAt === null
        ? null
        : { code: errorCode, message: errorMessage, at: errorAt.toISOString() },
    next_attempt_at: destination.dueAt?.toISOString() ?? null,
    created_at: destination.createdAt.toISOString(),
    updated_at: destination.updatedAt.toISOString(),
  };
  const { place } = destination;
  if (place.type === "postgres") return { ...common, ...place };
  const { intervalSeconds, ...shown } = place;
  const folder = folderOf(place, destination.generation);
  return { ...common, ...shown, interval_seconds: intervalSeconds, folder };
}

async function lagOf(ctx: EnvironmentContext, { position }: Destination): Promise<number> {
  const since = await findWaitingSince(ctx.db, ctx.environment.id, position ?? 0);
  if (since === undefined) return 0;
  return Math.max(0, Math.round((ctx.clock.now().getTime() - since.getTime()) / SECOND));
}
