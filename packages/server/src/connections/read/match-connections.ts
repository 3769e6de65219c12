import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import type { Connection } from "../connection.ts";
import { findConnection } from "../store.ts";
import {
  listByConfig,
  listByMetadata,
  listNewestByConfig,
  type WebhookConnection,
} from "./match-store.ts";

/** What of a connection has to equal a value, or to hold it in a list. */
export type ConnectionProperty = "connectionId" | `config.${string}` | `metadata.${string}`;

type Within = Pick<Integration, "id">;

/** The connections of an integration that have the value there, in the order in which they were made. */
export async function matchConnections(
  ctx: EnvironmentContext,
  integration: Within,
  { property, value }: { property: ConnectionProperty; value: string },
): Promise<WebhookConnection[]> {
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

// Of those that began to connect and never ended, nobody has more in earnest.
const MOST_NEWEST = 100;

/** The newest hundred connections of an integration with this value in their configuration, the newest first. */
export async function listNewestConnectionsBy(
  ctx: EnvironmentContext,
  { id: integrationId }: Within,
  { key, value }: { readonly key: string; readonly value: string },
): Promise<Connection[]> {
  const wanted = { integrationId, key, value, limit: MOST_NEWEST };
  return await listNewestByConfig(ctx.db, ctx.environment.id, wanted);
}
