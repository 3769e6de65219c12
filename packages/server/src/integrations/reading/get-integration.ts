import type { ErrorCode } from "@jackfield/contract";
import { AppError, type EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import type { Integration } from "../integration.ts";
import { findIntegration as findRow, findIntegrationById as findRowById } from "../store.ts";

/** The integration of that key. */
export async function findIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
): Promise<Integration | undefined> {
  return await findRow(ctx.db, ctx.environment.id, uniqueKey);
}

/** The integration that a row of ours refers to; undefined when it was deleted. */
export async function findIntegrationById(
  ctx: EnvironmentContext,
  id: number,
): Promise<Integration | undefined> {
  return await findRowById(ctx.db, ctx.environment.id, id);
}

const byKey = defineCache<Integration>({ maxEntries: 1000 });

/** `findIntegration` for hot paths: what other processes change is seen within a second. */
export async function findCachedIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
): Promise<Integration | undefined> {
  return await byKey.find(ctx, `${ctx.environment.id}/${uniqueKey}`, async () =>
    withRows(await findIntegration(ctx, uniqueKey)),
  );
}

const byId = defineCache<Integration>({ maxEntries: 1000 });

/** `findIntegrationById` for hot paths: what other processes change is seen within a second. */
export async function findCachedIntegrationById(
  ctx: EnvironmentContext,
  id: number,
): Promise<Integration | undefined> {
  return await byId.find(ctx, `${ctx.environment.id} ${id}`, async () =>
    withRows(await findIntegrationById(ctx, id)),
  );
}

/** The integration of that key; throws unknown_provider_config, or the code that the caller's route has for it. */
export async function getIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
  code?: ErrorCode,
): Promise<Integration> {
  return (await findIntegration(ctx, uniqueKey)) ?? failMissingIntegration(uniqueKey, code);
}

/** `getIntegration` for hot paths: what other processes change is seen within a second. */
export async function getCachedIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
): Promise<Integration> {
  return (await findCachedIntegration(ctx, uniqueKey)) ?? failMissingIntegration(uniqueKey);
}

/** `findIntegrationById`; throws unknown_provider_config. */
export async function getIntegrationById(
  ctx: EnvironmentContext,
  id: number,
): Promise<Integration> {
  return (await findIntegrationById(ctx, id)) ?? failDeleted();
}

/** `getIntegrationById` for hot paths: what other processes change is seen within a second. */
export async function getCachedIntegrationById(
  ctx: EnvironmentContext,
  id: number,
): Promise<Integration> {
  return (await findCachedIntegrationById(ctx, id)) ?? failDeleted();
}

function withRows(value: Integration | undefined) {
  return value && { value, rows: [`integrations ${value.id}`] };
}

/** Throws the error of a key that names no integration, wherever it was found out. */
export function failMissingIntegration(
  uniqueKey: string,
  code: ErrorCode = "unknown_provider_config",
): never {
  throw new AppError(
    code,
    `This environment has no integration "${uniqueKey}"; list them with GET /integrations.`,
  );
}

function failDeleted(): never {
  throw new AppError("unknown_provider_config", "The integration was deleted.");
}
