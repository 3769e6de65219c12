import type { EnvironmentContext } from "#foundation";
import type { ProviderDefinition } from "#providers";
import { followDefinition } from "../store.ts";

/** Gives a custom provider's new definition to the integrations that are set to follow the latest. */
export async function followProvider(
  ctx: EnvironmentContext,
  { slug, definition }: { readonly slug: string; readonly definition: ProviderDefinition },
): Promise<void> {
  const now = ctx.clock.now();
  await followDefinition(ctx.db, ctx.environment.id, { slug, definition, now });
}
