import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import { hotStatement, runHot } from "#platform/db";
import type { Connection } from "../connection.ts";
import { hotColumns, type Read, toConnection } from "../store.ts";

interface Wanted {
  readonly integrationId: number;
  readonly key: string;
  readonly value: string;
}

const byConfig = hotStatement(
  "connections_by_config",
  `select ${hotColumns} from connections c
    where c.environment_id = $1 and c.integration_id = $2 and c.deleted_at is null
      and c.connection_config @> jsonb_build_object($3::text, $4::text)
    order by c.id`,
);

/** Connections whose configuration has this value. */
export async function listByConfig(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, key, value }: Wanted,
): Promise<Connection[]> {
  const rows = await runHot<Read>(db, byConfig([environmentId, integrationId, key, value]));
  return rows.map(toConnection);
}

// A number may be kept as such; jsonb compares 1 and 1.0 as equal.
const byMetadata = hotStatement(
  "connections_by_metadata",
  `select ${hotColumns} from connections c
    where c.environment_id = $1 and c.integration_id = $2 and c.deleted_at is null
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
): Promise<Connection[]> {
  const number = /^\d{1,18}$/.test(value) ? value : null;
  const values = [environmentId, integrationId, key, value, number];
  const rows = await runHot<Read>(db, byMetadata(values));
  return rows.map(toConnection);
}
