import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";
import type { Connection } from "../connection.ts";
import { findConnection, listConnectionsOf } from "../store.ts";
import { listByConfig, listByMetadata } from "./match-store.ts";

/** What of a connection has to equal a value, or to hold it in a list. */
export type ConnectionProperty = "connectionId" | `config.${string}` | `metadata.${string}`;

type Within = Pick<Integration, "id">;

/** The connections of an integration that have the value there, in the order in which they were made. */
export async function findConnectionsBy(
  ctx: EnvironmentContext,
  integration: Within,
  { property, value }: { property: ConnectionProperty; value: string },
): Promise<Connection[]> {
  const environmentId = ctx.environment.id;
  const integrationId = integration.id;
  if (property === "connectionId") {
    const name = { integrationId, connectionId: value };
    const found = await findConnection(ctx.db, environmentId, name);
    return found === undefined ? [] : [found];
  }
  const at = property.indexOf(".");
  const wanted = { integrationId, key: property.slice(at + 1), value };
  const list = property.startsWith("config.") ? listByConfig : listByMetadata;
  return await list(ctx.db, environmentId, wanted);
}

/** All connections of an integration, in the order in which they were made. */
export async function listConnectionsOfIntegration(
  ctx: EnvironmentContext,
  integration: Within,
): Promise<Connection[]> {
  return await listConnectionsOf(ctx.db, ctx.environment.id, integration.id);
}
