import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Points an integration elsewhere, unchecked. */
export async function moveIntegration(
  db: Db,
  environmentId: EnvironmentId,
  { uniqueKey, baseUrl }: { uniqueKey: string; baseUrl: string },
): Promise<void> {
  const custom = JSON.stringify({ base_url: baseUrl });
  await sql`
    update integrations set custom = ${custom}
     where environment_id = ${environmentId} and unique_key = ${uniqueKey}`.execute(db);
}
