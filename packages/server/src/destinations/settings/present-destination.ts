import { type EnvironmentContext, SECOND } from "#platform";
import { findWaitingSince } from "#records";
import { type Destination, stateOf } from "../destination.ts";

/** The public shape, without the URL. */
export async function presentDestination(ctx: EnvironmentContext, destination: Destination) {
  const { errorCode, errorMessage, errorAt } = destination;
  return {
    id: destination.id,
    name: destination.name,
    type: "postgres" as const,
    address: destination.address,
    schema: destination.schema,
    table: destination.table,
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
}

async function lagOf(ctx: EnvironmentContext, { position }: Destination): Promise<number> {
  const since = await findWaitingSince(ctx.db, ctx.environment.id, position ?? 0);
  if (since === undefined) return 0;
  return Math.max(0, Math.round((ctx.clock.now().getTime() - since.getTime()) / SECOND));
}
