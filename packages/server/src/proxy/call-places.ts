import { AppError, type EnvironmentContext, type InstallationContext, type Keys } from "#platform";
import { ceilingOf, FairPlaces } from "#platform/fair-places";

// One for each running server; its keys are the same object in all of its contexts.
const placesOf = new WeakMap<Keys, FairPlaces>();

/** Places for calls that are passed through: one is held from the call's beginning to the end of its answer. */
export function callPlacesOf({
  keys,
  settings,
}: Pick<InstallationContext, "keys" | "settings">): FairPlaces {
  const known = placesOf.get(keys);
  if (known !== undefined) return known;
  const { proxyCalls: places, environmentShare } = settings;
  const made = new FairPlaces({
    name: "provider_calls",
    ...{ places, ceiling: ceilingOf(places, environmentShare) },
  });
  placesOf.set(keys, made);
  return made;
}

const RETRY_AFTER = { "Retry-After": "1" };

/** Throws too_many_request where the environment has all it may have, and overloaded where all have. */
export function takeCallPlace(ctx: EnvironmentContext): Disposable {
  const places = callPlacesOf(ctx);
  const place = places.tryTake(ctx.environment.id);
  if (place !== undefined) return place;
  if (!places.isAtCeiling(ctx.environment.id)) {
    throw new AppError("overloaded", undefined, { headers: RETRY_AFTER });
  }
  const held = places.heldBy(ctx.environment.id);
  const message = `${held} calls of the environment are under way, which is all it may have at once; wait for answers before you send more.`;
  throw new AppError("too_many_request", message, { headers: RETRY_AFTER });
}
