import type { EnvironmentContext } from "#foundation";
import { findIntegrationById } from "#integrations";
import { listSharedNames, nameTools } from "../deployed/name-tools.ts";
import type { DeployedFunction } from "../deployed-function.ts";
import { listToolNames } from "../store.ts";
import { type ActionTool, toActionTool, whyNoTool } from "./action-tool.ts";

export interface NamedTool {
  /** Unique in the environment. */
  readonly name: string;
  readonly integration: string;
  readonly tool: ActionTool;
}

/** Names of all tools of the environment by function, and keys of the integrations that are needed. */
export async function nameAllTools(ctx: EnvironmentContext, shown: readonly DeployedFunction[]) {
  const all = await listToolNames(ctx.db, ctx.environment.id);
  const wanted = [...listSharedNames(all), ...shown].map(({ integrationId }) => integrationId);
  const keys = new Map<number, string>();
  for (const id of new Set(wanted)) {
    const live = await findIntegrationById(ctx, id);
    if (live !== undefined) keys.set(id, live.uniqueKey);
  }
  return { names: nameTools(all, keys), keys };
}

/** Names of all tools of the environment by function; `keys` are those of its integrations by id. */
export async function nameFunctions(
  ctx: EnvironmentContext,
  keys: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<number, string>> {
  return nameTools(await listToolNames(ctx.db, ctx.environment.id), keys);
}

/** Those of the functions that are tools, under the names that they have wherever they are listed. */
export async function nameActionTools(
  ctx: EnvironmentContext,
  functions: readonly DeployedFunction[],
): Promise<NamedTool[]> {
  const { names, keys } = await nameAllTools(ctx, functions);
  return functions.flatMap((fn) => {
    if (fn.type !== "action" || whyNoTool(fn) !== undefined) return [];
    const integration = keys.get(fn.integrationId);
    if (integration === undefined) return [];
    return [{ name: names.get(fn.id) ?? fn.name, integration, tool: toActionTool(fn) }];
  });
}
