import type { ConnectionDeleted } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { deleteArrivalsOf } from "./store.ts";

/** A connection goes, and what is known of its webhooks with it. */
export async function forgetArrivals(
  { db, environment }: EnvironmentContext,
  { connection }: ConnectionDeleted,
): Promise<void> {
  await deleteArrivalsOf(db, environment.id, [connection.uuid]);
}
