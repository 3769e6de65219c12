import { AppError, type EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import type {
  DeployedAction,
  DeployedFunction,
  DeployedFunctionOf,
  FunctionType,
} from "./deployed-function.ts";
import {
  findFunctionByName,
  findFunctionById as findRowById,
  listActionRows,
  listFunctionsOfIds,
  listFunctionsOfType,
  listNamedSyncs,
  listSavedModels,
  type NamedFunction,
} from "./store.ts";

/** One deployed function by the name that its author gave it. */
export async function findFunction<Type extends FunctionType>(
  ctx: EnvironmentContext,
  wanted: { integration: { readonly id: number }; type: Type; name: string },
): Promise<DeployedFunctionOf<Type> | undefined> {
  const { integration, type, name } = wanted;
  return await findFunctionByName(ctx.db, ctx.environment.id, {
    integrationId: integration.id,
    type,
    name,
  });
}

const cached = defineCache<DeployedAction>({ maxEntries: 10_000 });

/** An action by its name, for hot paths: a deployment of another process holds within a second. */
export async function getCachedAction(
  ctx: EnvironmentContext,
  { integration, name }: { integration: { readonly id: number }; name: string },
): Promise<DeployedAction | undefined> {
  const key = `${ctx.environment.id}/${integration.id}/${name}`;
  return await cached.find(ctx, key, async () => {
    const value = await findFunction(ctx, { integration, type: "action", name });
    return value && { value, rows: [`functions ${value.id}`] };
  });
}

const cachedById = defineCache<DeployedFunction>({ maxEntries: 10_000 });

/** `findFunctionById` for hot paths: a deployment of another process holds within a second. */
export async function findCachedFunctionById(
  ctx: EnvironmentContext,
  id: number,
): Promise<DeployedFunction | undefined> {
  return await cachedById.find(ctx, `${ctx.environment.id}/${id}`, async () => {
    const value = await findFunctionById(ctx, id);
    return value && { value, rows: [`functions ${id}`] };
  });
}

/** Also finds a function that has been removed since: runs end with the code they started with. */
export async function findFunctionById(
  ctx: EnvironmentContext,
  id: number,
): Promise<DeployedFunction | undefined> {
  return await findRowById(ctx.db, ctx.environment.id, id);
}

/** `findFunctionById`; throws not_found. */
export async function getFunctionById(
  ctx: EnvironmentContext,
  id: number,
): Promise<DeployedFunction> {
  const found = await findFunctionById(ctx, id);
  if (found === undefined) throw new AppError("not_found", "The function does not exist.");
  return found;
}

/** Deployed functions of an integration, by name. */
export async function listFunctions<Type extends FunctionType>(
  ctx: EnvironmentContext,
  filter: { integration: { readonly id: number }; type: Type },
): Promise<DeployedFunctionOf<Type>[]> {
  return await listFunctionsOfType(ctx.db, ctx.environment.id, {
    integrationId: filter.integration.id,
    type: filter.type,
  });
}

/** Deployed actions of the environment by integration and name, at most so many. */
export async function listActions(
  ctx: EnvironmentContext,
  { limit }: { readonly limit: number },
): Promise<DeployedAction[]> {
  return await listActionRows(ctx.db, ctx.environment.id, limit);
}

/** All deployed syncs of the environment, without their definitions. */
export async function listSyncNames(ctx: EnvironmentContext): Promise<NamedFunction[]> {
  return await listNamedSyncs(ctx.db, ctx.environment.id);
}

/** Functions by their ids, removed ones included. */
export async function listFunctionsById(
  ctx: EnvironmentContext,
  ids: readonly number[],
): Promise<ReadonlyMap<number, DeployedFunction>> {
  const found = await listFunctionsOfIds(ctx.db, ctx.environment.id, ids);
  return new Map(found.map((fn) => [fn.id, fn]));
}

/** Names of the models that the integration's deployed syncs save. */
export async function listModels(
  ctx: EnvironmentContext,
  { integration }: { integration: { readonly id: number } },
): Promise<string[]> {
  return await listSavedModels(ctx.db, ctx.environment.id, integration.id);
}
