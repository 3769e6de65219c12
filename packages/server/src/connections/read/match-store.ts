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

/** Of a connection what passing on a webhook takes. */
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

/** Where a page ends, in the order in which connections were made; times of Postgres are finer than ours. */
export interface PagePosition {
  readonly createdAt: string;
  readonly id: number;
}

// The order is that of an index, as are its columns for a page that follows another.
const page = hotStatement(
  "connections_of_integration",
  `select ${matchedColumns}, c.created_at::text as "createdAt" ${ofIntegration}
      and (c.created_at, c.id) > (coalesce($3::text, '-infinity')::timestamptz, coalesce($4::bigint, 0))
    order by c.created_at, c.id limit $5`,
);

export async function listPageOf(
  db: Db,
  environmentId: EnvironmentId,
  wanted: {
    readonly integrationId: number;
    readonly after: PagePosition | undefined;
    readonly limit: number;
  },
): Promise<{ connections: WebhookConnection[]; last: PagePosition | undefined }> {
  const { integrationId, after, limit } = wanted;
  const values = [environmentId, integrationId, after?.createdAt ?? null, after?.id ?? null, limit];
  const rows = await runHot<Row & PagePosition>(db, page(values));
  return {
    connections: rows.map(({ createdAt: _, ...row }) => toMatched(row)),
    last: rows.at(-1),
  };
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
