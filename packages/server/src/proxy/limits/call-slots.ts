import { AppError, type EnvironmentContext, type SystemContext, serverState } from "#foundation";
import { ceilingOf, FairSlots } from "#foundation/fair-slots";

/** Slots for calls that are passed through: one is held from the call's beginning to the end of its answer. */
export const callSlots = serverState(({ settings }: Pick<SystemContext, "settings">) => {
  const { proxyCalls: slots, environmentShare } = settings;
  const ceiling = ceilingOf(slots, environmentShare);
  return new FairSlots({ name: "provider_calls", slots, ceiling });
});

const RETRY_AFTER = { "Retry-After": "1" };

/** Throws too_many_request where the environment has all it may have, and overloaded where all have. */
export function takeCallSlot(ctx: EnvironmentContext): Disposable {
  const slots = callSlots.of(ctx);
  const slot = slots.tryTake(ctx.environment.id);
  if (slot !== undefined) return slot;
  if (!slots.isAtCeiling(ctx.environment.id)) {
    throw new AppError("overloaded", undefined, { headers: RETRY_AFTER });
  }
  const held = slots.heldBy(ctx.environment.id);
  const message = `${held} calls of the environment are under way, which is all it may have at once; wait for answers before you send more.`;
  throw new AppError("too_many_request", message, { headers: RETRY_AFTER });
}
