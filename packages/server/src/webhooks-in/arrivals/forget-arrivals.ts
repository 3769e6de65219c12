import type { ConnectionsOf } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { deleteArrivalsOf } from "./store.ts";

/** Connections go, and what is known of their webhooks with them. */
export async function forgetArrivals(
  { db, environment }: EnvironmentContext,
  { connections }: ConnectionsOf,
): Promise<void> {
  await deleteArrivalsOf(
    db,
    environment.id,
    connections.map(({ uuid }) => uuid),
  );
}
