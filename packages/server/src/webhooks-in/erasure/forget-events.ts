import type { EnvironmentContext } from "#platform";
import { deleteEvents } from "../storage/store.ts";

/**
 * Before an environment is erased, events that it has handled go in parts: where they lie on a server of their own, they
 * do not go with its row.
 */
export async function forgetEventsAtLast({
  db,
  environment,
  signal,
}: EnvironmentContext): Promise<void> {
  while (await deleteEvents(db, environment.id)) signal.throwIfAborted();
}
