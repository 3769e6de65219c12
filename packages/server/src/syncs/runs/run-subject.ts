import { type Connection, getConnectionByUuid } from "#connections";
import { getCachedEnvironment } from "#environments";
import { type DeployedSync, getCachedFunctionById } from "#functions";
import { getCachedIntegrationById, type Integration } from "#integrations";
import { AppError, type Environment, type EnvironmentContext, type SystemContext } from "#platform";
import type { Run } from "../sync.ts";

/** What a run works on; it stays as it is while the run lasts. */
export interface RunSubject {
  readonly connection: Connection;
  readonly integration: Integration;
  readonly fn: DeployedSync;
}

/** Undefined when the connection or its integration was deleted since. */
export async function findSubject(
  ctx: EnvironmentContext,
  run: Pick<Run, "connectionUuid" | "functionId">,
): Promise<RunSubject | undefined> {
  return await unlessGone(async () => {
    const connection = await getConnectionByUuid(ctx, run.connectionUuid);
    const integration = await getCachedIntegrationById(ctx, connection.integrationId);
    const fn = await getCachedFunctionById(ctx, run.functionId);
    return fn.type === "sync" ? { connection, integration, fn } : undefined;
  });
}

export async function findEnvironment(
  ctx: SystemContext,
  id: Environment["id"],
): Promise<Environment | undefined> {
  return await unlessGone(async () => await getCachedEnvironment(ctx, id));
}

async function unlessGone<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
}
