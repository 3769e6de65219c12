import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type { Connection } from "../connection.ts";
import { hotColumns, type Read, toConnection } from "../store.ts";

export interface EndUserConnection {
  readonly connection: Connection;
  /** Key of its integration. */
  readonly integration: string;
}

const ofEndUser = hotStatement(
  "connections_of_end_user",
  `select ${hotColumns}, i.unique_key as "uniqueKey"
     from connections c join integrations i on i.id = c.integration_id
    where c.environment_id = $1 and c.deleted_at is null and c.tags @> $2::jsonb
      and i.environment_id = $1 and i.unique_key = any($3::text[])
    order by c.created_at desc, c.id desc limit $4`,
);

/** Newest first, of these integrations alone. */
export async function listEndUserConnections(
  db: Db,
  environmentId: EnvironmentId,
  { endUserId, keys, limit }: { endUserId: string; keys: readonly string[]; limit: number },
): Promise<EndUserConnection[]> {
  const tags = JSON.stringify({ end_user_id: endUserId });
  const values = [environmentId, tags, [...keys], limit];
  const rows = await runHot<Read & { readonly uniqueKey: string }>(db, ofEndUser(values));
  return rows.map((row) => ({ connection: toConnection(row), integration: row.uniqueKey }));
}
