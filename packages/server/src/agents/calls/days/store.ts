import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { AgentSession } from "../../sessions/session.ts";
import type { Effect } from "../../toolsets/toolset.ts";

export interface DayCall {
  readonly session: Pick<AgentSession, "toolsetId" | "endUserId" | "budget">;
  readonly effect: Effect | undefined;
  readonly at: Date;
}

export function hasDayBudget({ budget }: Pick<AgentSession, "budget">): boolean {
  return budget.calls_per_day !== undefined || budget.writes_per_day !== undefined;
}

export interface UsedDay {
  readonly calls: number;
  readonly writes: number;
}

/** Takes a call of the end user's day, in all sessions with the toolset; undefined where the day has no more. */
export async function takeOfDay(
  db: Db,
  environmentId: EnvironmentId,
  { session, effect, at }: DayCall,
): Promise<UsedDay | undefined> {
  const { toolsetId, endUserId, budget } = session;
  const writes = effect === "read" ? 0 : 1;
  const most = { calls: budget.calls_per_day ?? null, writes: budget.writes_per_day ?? null };
  const { rows } = await sql<UsedDay>`
    insert into agent_days as d (environment_id, toolset_id, end_user_id, day, calls, writes)
    select ${environmentId}::uuid, ${toolsetId}::uuid, ${endUserId}::text, ${dayOf(at)}::date, 1, ${writes}::int
     where ${writes}::int = 0 or ${most.writes}::int is null or ${most.writes}::int > 0
    on conflict (environment_id, toolset_id, end_user_id, day) do update
      set calls = d.calls + 1, writes = d.writes + ${writes}::int
      where (${most.calls}::int is null or d.calls < ${most.calls}::int)
        and (${writes}::int = 0 or ${most.writes}::int is null or d.writes < ${most.writes}::int)
    returning calls, writes`.execute(db);
  return rows[0];
}

/** Of a call that has asked its user and done nothing. */
export async function giveBackOfDay(
  db: Db,
  environmentId: EnvironmentId,
  { session, effect, at }: DayCall,
): Promise<void> {
  const writes = effect === "read" ? 0 : 1;
  await sql`
    update agent_days set calls = calls - 1, writes = writes - ${writes}::int
     where environment_id = ${environmentId} and toolset_id = ${session.toolsetId}
       and end_user_id = ${session.endUserId} and day = ${dayOf(at)}::date`.execute(db);
}

export async function findDay(
  db: Db,
  environmentId: EnvironmentId,
  { session, at }: Omit<DayCall, "effect">,
): Promise<UsedDay> {
  const { rows } = await sql<UsedDay>`
    select calls, writes from agent_days
     where environment_id = ${environmentId} and toolset_id = ${session.toolsetId}
       and end_user_id = ${session.endUserId} and day = ${dayOf(at)}::date`.execute(db);
  return rows[0] ?? { calls: 0, writes: 0 };
}

export async function deleteDaysBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from agent_days where day < ${dayOf(time)}::date`.execute(db);
}

export async function deleteDaysOf(
  db: Db,
  environmentId: EnvironmentId,
  endUserId: string,
): Promise<void> {
  await sql`
    delete from agent_days where environment_id = ${environmentId} and end_user_id = ${endUserId}`.execute(
    db,
  );
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
