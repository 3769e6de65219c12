import { type Connection, findConnectionByUuid } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { type DeployedSync, findCachedFunctionById, findVersionFor } from "#functions";
import { findCachedIntegrationById, type Integration } from "#integrations";
import type { Run } from "../sync.ts";

/** What a run works on, in the version of a canary where its connection was chosen for one; it stays as it is while the run lasts. */
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
  const connection = await findConnectionByUuid(ctx, run.connectionUuid);
  if (connection === undefined) return undefined;
  const integration = await findCachedIntegrationById(ctx, connection.integrationId);
  const fn = await findCachedFunctionById(ctx, run.functionId);
  if (integration === undefined || fn?.type !== "sync") return undefined;
  return { connection, integration, fn: await findVersionFor(ctx, fn, connection.uuid) };
}
