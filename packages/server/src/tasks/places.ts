import type { InstallationContext } from "#platform";
import { sumPlaces } from "./store.ts";

/** How many syncs may run at once in all processes together; at least those of one. */
export async function countPlaces({ db, settings }: InstallationContext): Promise<number> {
  return Math.max(settings.runPlaces, await sumPlaces(db));
}
