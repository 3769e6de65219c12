import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface SeenText {
  readonly id: string;
  readonly tool: string;
  /** Sealed. */
  readonly filter: Buffer;
  readonly createdAt: Date;
}

export interface NewSeen extends SeenText {
  readonly sessionId: string;
  /** Whether earlier ones that have no room, or are too old, are deleted with it. */
  readonly makesRoom: boolean;
  /** Bytes of the session's, with it. */
  readonly room: number;
  readonly since: Date;
}

export async function insertSeen(
  db: Db,
  environmentId: EnvironmentId,
  row: NewSeen,
): Promise<void> {
  await sql`with ${insertionOfSeen(environmentId, row)} select 1`.execute(db);
}

/** Parts of a `with`, by which it is stored; to make room looks at all earlier ones of the session. */
export function insertionOfSeen(environmentId: EnvironmentId, row: NewSeen): RawBuilder<unknown> {
  const surplus = sql`
    surplus as (
      delete from agent_texts_seen where id in (
        select id from (
          select id, created_at, sum(length(filter)) over (order by created_at desc, id) as taken
            from agent_texts_seen where environment_id = ${environmentId} and session_id = ${row.sessionId}) s
         where taken + ${row.filter.length}::int > ${row.room}::int or created_at < ${row.since}::timestamptz)),`;
  return sql`
    ${row.makesRoom ? surplus : sql``}
    seen as (insert into agent_texts_seen (id, environment_id, session_id, tool, filter, created_at)
    select ${row.id}::uuid, ${environmentId}::uuid, s.id, ${row.tool}::text, ${row.filter}::bytea,
           ${row.createdAt}::timestamptz
      from agent_sessions s where s.environment_id = ${environmentId} and s.id = ${row.sessionId})`;
}

/** Newest first. */
export async function listSeen(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, since }: { sessionId: string; since: Date },
): Promise<SeenText[]> {
  const { rows } = await sql<SeenText>`
    select id, tool, filter, created_at from agent_texts_seen
     where environment_id = ${environmentId} and session_id = ${sessionId} and created_at >= ${since}
     order by created_at desc, id`.execute(db);
  return rows;
}

export async function deleteSeenBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from agent_texts_seen where created_at < ${time}`.execute(db);
}
