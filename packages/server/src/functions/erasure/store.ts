import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Deletes ended dry runs of integrations, with what they were sent and what came of them; resolves to how many. */
export async function deleteDryRuns(
  db: Db,
  environmentId: EnvironmentId,
  integrationIds: readonly number[],
): Promise<number> {
  const result = await sql`
    delete from function_jobs
     where environment_id = ${environmentId} and kind = 'dry-run' and status in ('success', 'failed')
       and integration_key in (
         select unique_key from integrations
          where environment_id = ${environmentId} and id = any(${integrationIds}::bigint[]))`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}
