import type { ConnectStage } from "@jackfield/contract";
import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface StageCount {
  readonly environmentId: EnvironmentId;
  readonly provider: string;
  readonly stage: ConnectStage;
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly succeeded: number;
  readonly failed: number;
}

function tables(db: Db) {
  return db.withTables<{ providerStageCounts: StageCount }>();
}

/** Adds to what the days have; those of environments that are gone are dropped. */
export async function addStageCounts(db: Db, counts: readonly StageCount[]): Promise<void> {
  const rows = counts.map(({ environmentId, ...count }) => ({
    environment_id: environmentId,
    ...count,
  }));
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into provider_stage_counts (environment_id, day, provider, stage, succeeded, failed)
    select c.environment_id, c.day, c.provider, c.stage, c.succeeded, c.failed
      from json_to_recordset(${JSON.stringify(rows)}::json) as c
        (environment_id uuid, day date, provider text, stage text, succeeded bigint, failed bigint)
      join environments e on e.id = c.environment_id
     order by c.environment_id, c.day, c.provider, c.stage
    on conflict (environment_id, day, provider, stage) do update
       set succeeded = provider_stage_counts.succeeded + excluded.succeeded,
           failed = provider_stage_counts.failed + excluded.failed`.execute(db);
}

/** Newest day first. */
export async function listStageCounts(
  db: Db,
  environmentId: EnvironmentId,
  wanted: { provider: string | undefined; from: string | undefined; to: string | undefined },
): Promise<Omit<StageCount, "environmentId">[]> {
  const { provider, from, to } = wanted;
  return await tables(db)
    .selectFrom("providerStageCounts")
    .select(sql<string>`to_char(day, 'YYYY-MM-DD')`.as("day"))
    .select(["provider", "stage", "succeeded", "failed"])
    .where("environmentId", "=", environmentId)
    .$if(provider !== undefined, (query) => query.where("provider", "=", provider ?? ""))
    .$if(from !== undefined, (query) => query.where("day", ">=", from ?? ""))
    .$if(to !== undefined, (query) => query.where("day", "<=", to ?? ""))
    .orderBy("providerStageCounts.day", "desc")
    .orderBy("provider")
    .orderBy("stage")
    .execute();
}

export async function deleteStageCountsBefore(db: Db, day: string): Promise<void> {
  await tables(db).deleteFrom("providerStageCounts").where("day", "<", day).execute();
}
