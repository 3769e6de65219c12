import { getProvider } from "@jackfield/catalogue";
import type { EnvironmentContext } from "#foundation";
import { allowedIntegrations } from "../hooks.ts";
import type { Integration } from "../integration.ts";
import {
  listIdsOfKeys,
  listIntegrationRows,
  listKeysOfIds,
  listProvidersInUse,
  listRowsOfProviders,
} from "../store.ts";

/** All integrations; for a connect session those that it allows. */
export async function listIntegrations(ctx: EnvironmentContext): Promise<Integration[]> {
  const all = await listIntegrationRows(ctx.db, ctx.environment.id);
  if (ctx.actor.kind !== "session") return all;
  const { sessionId } = ctx.actor;
  const allowed = await ctx.hooks.ask(allowedIntegrations, ctx, { sessionId });
  if (allowed === undefined) return all;
  const keys = new Set(allowed);
  return all.filter(({ uniqueKey }) => keys.has(uniqueKey));
}

/** Integrations whose provider is an MCP server, oldest first; `after` is the id of one. */
export async function listMcpIntegrations(
  ctx: EnvironmentContext,
  page: {
    readonly uniqueKey: string | undefined;
    readonly after: number | undefined;
    readonly limit: number;
  },
): Promise<Integration[]> {
  const { id } = ctx.environment;
  const inUse = await listProvidersInUse(ctx.db, id);
  const providers = inUse.filter((each) => getProvider(each)?.mcp !== undefined);
  return await listRowsOfProviders(ctx.db, id, { ...page, providers, field: "mcp" });
}

/** Ids of the integrations that have one of these keys; unknown keys are passed over. */
export async function listIntegrationIds(
  ctx: EnvironmentContext,
  keys: readonly string[],
): Promise<number[]> {
  return await listIdsOfKeys(ctx.db, ctx.environment.id, keys);
}

/** Keys of integrations, deleted ones included, by their ids. */
export async function listIntegrationKeys(
  ctx: EnvironmentContext,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  return await listKeysOfIds(ctx.db, ctx.environment.id, ids);
}
