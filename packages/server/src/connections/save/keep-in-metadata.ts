import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { addToMetadata } from "../read/match-store.ts";

// An id of the provider's; metadata goes with the connection everywhere.
const LONGEST = 1000;

/** Puts what a provider has told into a connection's metadata, unless something stands there; false where it does. */
export async function keepInMetadata(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id">,
  kept: { readonly connectionId: string; readonly key: string; readonly value: string },
): Promise<boolean> {
  if (kept.value.length > LONGEST) return false;
  const now = ctx.clock.now();
  const wanted = { ...kept, integrationId: integration.id, now };
  return await addToMetadata(ctx.db, ctx.environment.id, wanted);
}
