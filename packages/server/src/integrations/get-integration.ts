import { AppError, type EnvironmentContext } from "#platform";
import { defineCache } from "#platform/cache";
import type { Integration } from "./integration.ts";
import { findIntegration, findIntegrationById } from "./store.ts";

/** The integration of that key; throws unknown_provider_config. */
export async function getIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
): Promise<Integration> {
  const integration = await findIntegration(ctx.db, ctx.environment.id, uniqueKey);
  if (integration !== undefined) return integration;
  throw new AppError(
    "unknown_provider_config",
    `This environment has no integration "${uniqueKey}"; list them with GET /integrations.`,
  );
}

const cached = defineCache<Integration>({ maxEntries: 1000 });

/** `getIntegration` for hot paths: what other processes change is seen within a second. */
export async function getCachedIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
): Promise<Integration> {
  const found = await cached.find(ctx, `${ctx.environment.id}/${uniqueKey}`, async () => {
    const value = await getIntegration(ctx, uniqueKey);
    return { value, rows: [`integrations ${value.id}`] };
  });
  return found ?? (await getIntegration(ctx, uniqueKey));
}

/** `getIntegrationById` for hot paths: what other processes change is seen within a second. */
export async function getCachedIntegrationById(
  ctx: EnvironmentContext,
  id: number,
): Promise<Integration> {
  const found = await cached.find(ctx, `${ctx.environment.id} ${id}`, async () => ({
    value: await getIntegrationById(ctx, id),
    rows: [`integrations ${id}`],
  }));
  return found ?? (await getIntegrationById(ctx, id));
}

/** The integration that a row of ours refers to; throws unknown_provider_config when it was deleted. */
export async function getIntegrationById(
  ctx: EnvironmentContext,
  id: number,
): Promise<Integration> {
  const integration = await findIntegrationById(ctx.db, ctx.environment.id, id);
  if (integration !== undefined) return integration;
  throw new AppError("unknown_provider_config", "The integration was deleted.");
}
