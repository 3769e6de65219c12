import { sql } from "kysely";
import { type ServerStates, serverState } from "../../server-state.ts";
import type { Db } from "../owned-db.ts";

const answers = serverState((): { isPrepared?: boolean } => ({}));

/**
 * Whether `deploy/citus/prepare.sql` has made the schema ready for distribution: triggers of its heavy tables are gone, so
 * that the server does what they did, and no statement is about all environments at once. The table of the guard, which it
 * makes in the same transaction, is the mark. Asked once by each server, which starts after that.
 */
export async function isPreparedSchema(ctx: {
  readonly db: Db;
  readonly state: ServerStates;
}): Promise<boolean> {
  const answer = answers.of(ctx);
  if (answer.isPrepared === undefined) {
    const { rows } = await sql<{ isPrepared: boolean }>`
      select to_regclass('two_phase_guard') is not null as is_prepared`.execute(ctx.db);
    answer.isPrepared = rows[0]?.isPrepared === true;
  }
  return answer.isPrepared;
}
