import { sql } from "kysely";
import type { ConnectionUuid } from "#foundation";
import type { Db } from "#foundation/db";

interface Quarantine {
  /** As the model counts it. */
  readonly count: number;
  readonly records: string[];
  /** Their places. */
  readonly reasons: string[];
}

/** What is quarantined of a connection's one model. */
export async function quarantineOf(
  db: Db,
  connection: ConnectionUuid,
): Promise<Quarantine | undefined> {
  const { rows } = await sql<Quarantine>`
    select quarantined::int as count,
           array(select record_id from quarantined_records q where q.model_id = m.id order by 1) as records,
           array(select pointer from record_quarantine_reasons r where r.model_id = m.id order by 1) as reasons
      from record_models m where connection_uuid = ${connection}`.execute(db);
  return rows[0];
}
