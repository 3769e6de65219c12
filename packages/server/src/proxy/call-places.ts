import {
  AppError,
  type EnvironmentContext,
  type InstallationContext,
  serverState,
} from "#platform";
import { ceilingOf, FairPlaces } from "#platform/fair-places";

/** Places for calls that are passed through: one is held from the call's beginning to the end of its answer. */
export const callPlaces = serverState(({ settings }: Pick<InstallationContext, "settings">) => {
  const { proxyCalls: places, environmentShare } = settings;
  const ceiling = ceilingOf(places, environmentShare);
  return new FairPlaces({ name: "provider_calls", places, ceiling });
});

const RETRY_AFTER = { "Retry-After": "1" };

/** Throws too_many_request where the environment has all it may have, and overloaded where all have. */
export function takeCallPlace(ctx: EnvironmentContext): Disposable {
  const places = callPlaces.of(ctx);
  const place = places.tryTake(ctx.environment.id);
  if (place !== undefined) return place;
  if (!places.isAtCeiling(ctx.environment.id)) {
    throw new AppError("overloaded", undefined, { headers: RETRY_AFTER });
  }
  const held = places.heldBy(ctx.environment.id);
  const message = `${held} calls of the environment are under way, which is all it may have at once; wait for answers before you send more.`;
  throw new AppError("too_many_request", message, { headers: RETRY_AFTER });
}
