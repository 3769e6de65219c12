import { sql } from "kysely";
import type { Db } from "#foundation/db";

/** Takes back what was said of the last browser that came; its id. */
export async function reopenLast(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    update agent_authorizations set state = 'open'
     where id = (select id from agent_authorizations order by created_at desc, expires_at desc limit 1)
    returning id`.execute(db);
  return rows[0]?.id ?? "";
}

export async function countRefusedCalls(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from agent_calls where outcome = 'refused'`.execute(db);
  return rows[0]?.count ?? 0;
}
