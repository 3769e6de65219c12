import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import { hotStatement, runHot } from "#platform/db";
import type { Connection } from "../connection.ts";
import { connectionByNames } from "../names-store.ts";
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

const keep = hotStatement(
  "connection_keep_in_metadata",
  `update connections set metadata = coalesce(metadata, '{}') || jsonb_build_object($4::text, $5::text),
                          updated_at = $6
    where id = (select id from (${connectionByNames("$1", "$2", "$3")}) c)
      and not coalesce(metadata, '{}') ? $4::text
   returning 1`,
);

/** Adds a value to a connection's metadata; false where there is one of that name, or no such connection. */
export async function addToMetadata(
  db: Db,
  environmentId: EnvironmentId,
  wanted: Wanted & { connectionId: string; now: Date },
): Promise<boolean> {
  const { integrationId, connectionId, key, value, now } = wanted;
  const values = [environmentId, integrationId, connectionId, key, value, now];
  return (await runHot(db, keep(values))).length === 1;
}
