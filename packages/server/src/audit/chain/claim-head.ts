import { addMs, type SystemContext } from "#foundation";
import { claimAnnouncement, findSeal, type Seal } from "./store.ts";

/**
 * The end of the chain, where it has grown and was not claimed within that time: to be sent in the same transaction.
 * Of several processes one gets it.
 */
export async function claimHead(
  { db, clock }: Pick<SystemContext, "db" | "clock">,
  everyMs: number,
): Promise<Seal | undefined> {
  const now = clock.now();
  const id = await claimAnnouncement(db, { now, before: addMs(now, -everyMs) });
  return id === undefined ? undefined : await findSeal(db, id);
}
