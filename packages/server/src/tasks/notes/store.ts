import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Something of an environment is due from a moment on. */
export interface DueNote {
  readonly environmentId: EnvironmentId;
  /** What is done in order within the environment; 0 where all of it is one. */
  readonly queue: number;
  readonly dueAt: Date;
}

/** What several notes say of one queue. */
export interface NotedQueue extends DueNote {
  readonly notes: readonly string[];
}

/** With the change that makes it due. */
export async function insertDueNotes(
  db: Db,
  work: string,
  notes: readonly DueNote[],
): Promise<void> {
  if (notes.length === 0) return;
  await sql`
    insert into due_notes (work, environment_id, queue, due_at)
    select ${work}, n.environment_id, n.queue, n.due_at
      from unnest(${notes.map(({ environmentId }) => environmentId)}::uuid[],
                  ${notes.map(({ queue }) => queue)}::bigint[],
                  ${notes.map(({ dueAt }) => dueAt)}::timestamptz[]) as n (environment_id, queue, due_at)`.execute(
    db,
  );
}

/** Queues of environments that are there, the longest due first; also those that are due later. */
export async function listNotedQueues(db: Db, work: string): Promise<NotedQueue[]> {
  const { rows } = await sql<NotedQueue>`
    select environment_id, queue, min(due_at) as due_at, array_agg(id::text) as notes
      from due_notes
     where work = ${work} and environment_id in (select id from environments where deleted_at is null)
     group by environment_id, queue order by min(due_at)`.execute(db);
  return rows;
}

/**
 * In place of the notes, when the queue is due next; undefined: nothing is left. To be found out after the notes were
 * read: what came since has a note of its own, which stays.
 */
export async function replaceDueNotes(
  db: Db,
  work: string,
  { environmentId, queue, notes, dueAt }: Omit<NotedQueue, "dueAt"> & { dueAt: Date | undefined },
): Promise<void> {
  await sql`
    with seen as (delete from due_notes where id = any(${notes}::bigint[]))
    insert into due_notes (work, environment_id, queue, due_at)
    select ${work}, ${environmentId}::uuid, ${queue}::bigint, ${dueAt ?? null}::timestamptz
     where ${dueAt !== undefined}
       and exists (select from environments where id = ${environmentId})`.execute(db);
}
