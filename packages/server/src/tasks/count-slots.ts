import type { SystemContext } from "#foundation";
import { sumSlots } from "./store.ts";

/** How many syncs may run at once in all processes together; at least those of one. */
export async function countSlots({ db, settings }: SystemContext): Promise<number> {
  return Math.max(settings.runSlots, await sumSlots(db));
}
