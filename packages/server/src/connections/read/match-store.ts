import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import { hotStatement, runHot } from "#foundation/db";
import type { Connection } from "../connection.ts";
import { hotColumns, type Read, toConnection } from "../store.ts";

interface Wanted {
  readonly integrationId: number;
  readonly key: string;
  readonly value: string;
}

/** Of a connection what passing on a webhook takes: as many as a hundred thousand are in memory for one. */
export type WebhookConnection = Pick<
  Connection,
  "id" | "uuid" | "connectionId" | "webhookUrlOverride"
>;

type Row = Omit<WebhookConnection, "webhookUrlOverride"> & {
  readonly webhookUrlOverride: string | null;
};

const matchedColumns = `c.id::float8 as id, c.uuid, c.connection_id as "connectionId",
  c.webhook_url_override as "webhookUrlOverride"`;

function toMatched({ webhookUrlOverride, ...row }: Row): WebhookConnection {
  return { ...row, webhookUrlOverride: webhookUrlOverride ?? undefined };
}

const ofIntegration = `from connections c
  where c.environment_id = $1 and c.integration_id = $2 and c.deleted_at is null`;

const all = hotStatement(
  "connections_of_integration",
  `select ${matchedColumns} ${ofIntegration} order by c.id`,
);

export async function listAllOf(
  db: Db,
  environmentId: EnvironmentId,
  integrationId: number,
): Promise<WebhookConnection[]> {
  const rows = await runHot<Row>(db, all([environmentId, integrationId]));
  return rows.map(toMatched);
}

const hasConfig = "c.connection_config @> jsonb_build_object($3::text, $4::text)";

const byConfig = hotStatement(
  "connections_by_config",
  `select ${matchedColumns} ${ofIntegration} and ${hasConfig} order by c.id`,
);

/** Connections whose configuration has this value. */
export async function listByConfig(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, key, value }: Wanted,
): Promise<WebhookConnection[]> {
  const rows = await runHot<Row>(db, byConfig([environmentId, integrationId, key, value]));
  return rows.map(toMatched);
}

const wholeByConfig = hotStatement(
  "whole_connections_by_config",
  `select ${hotColumns} ${ofIntegration} and ${hasConfig} order by c.id desc limit $5`,
);

/** The newest of those, with all that they have, the newest first. */
export async function listNewestByConfig(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, key, value, limit }: Wanted & { readonly limit: number },
): Promise<Connection[]> {
  const values = [environmentId, integrationId, key, value, limit];
  const rows = await runHot<Read>(db, wholeByConfig(values));
  return rows.map(toConnection);
}

// A number may be kept as such; jsonb compares 1 and 1.0 as equal.
const byMetadata = hotStatement(
  "connections_by_metadata",
  `select ${matchedColumns} ${ofIntegration}
      and (c.metadata @> jsonb_build_object($3::text, $4::text)
           or c.metadata @> jsonb_build_object($3::text, jsonb_build_array($4::text))
           or c.metadata @> jsonb_build_object($3::text, $5::numeric)
           or c.metadata @> jsonb_build_object($3::text, jsonb_build_array($5::numeric)))
    order by c.id`,
);

/** Connections whose metadata has this value under the key, or in a list under it. */
export async function listByMetadata(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, key, value }: Wanted,
): Promise<WebhookConnection[]> {
  const number = /^\d{1,18}$/.test(value) ? value : null;
  const values = [environmentId, integrationId, key, value, number];
  const rows = await runHot<Row>(db, byMetadata(values));
  return rows.map(toMatched);
}
