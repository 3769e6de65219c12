import { sql } from "kysely";
import { type ServerStates, serverState } from "../../server-state.ts";
import type { Db } from "../owned-db.ts";

const answers = serverState(() => new Map<string, boolean>());

/**
 * Whether `deploy/citus/prepare.sql` has made a table ready for distribution: its triggers are gone, so that the server does
 * what they did, and no statement is about all environments at once. Asked once by each server, which starts after that.
 */
export async function isPreparedTable(
  ctx: { readonly db: Db; readonly state: ServerStates },
  table: string,
): Promise<boolean> {
  const known = answers.of(ctx);
  const answer = known.get(table);
  if (answer !== undefined) return answer;
  const { rows } = await sql`
    select from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relname = ${table} and c.relnamespace = current_schema()::regnamespace and not t.tgisinternal
     limit 1`.execute(ctx.db);
  const isPrepared = rows.length === 0;
  known.set(table, isPrepared);
  return isPrepared;
}

/** Whether the schema is made ready for distribution, for work that is about several of its tables. */
export async function isPreparedSchema(
  ctx: Parameters<typeof isPreparedTable>[0],
): Promise<boolean> {
  return await isPreparedTable(ctx, "webhook_attempts");
}
