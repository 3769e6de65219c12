import { sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import type { Counts, Revocation, Touched } from "./revocation.ts";

const columns = sql.raw(
  `r.id, r.environment_id as "environmentId", r.is_rehearsal as "isRehearsal", r.match, r.reason, r.actor,
   r.ends_sessions as "endsSessions", r.created_at as "createdAt", r.after_created_at as "afterCreatedAt",
   r.after_id::int as "afterId", r.passes_left as "passesLeft", r.matched, r.frozen_at as "frozenAt", r.touched,
   r.summary, r.ended_at as "endedAt"`,
);

export async function insertRevocation(
  db: Db,
  environmentId: EnvironmentId,
  row: Pick<
    Revocation,
    | "id"
    | "isRehearsal"
    | "match"
    | "reason"
    | "actor"
    | "endsSessions"
    | "createdAt"
    | "passesLeft"
  >,
): Promise<void> {
  await sql`
    insert into revocations
      (id, environment_id, is_rehearsal, match, reason, actor, ends_sessions, created_at, passes_left)
    values (${row.id}, ${environmentId}, ${row.isRehearsal}, ${JSON.stringify(row.match)}, ${row.reason},
            ${JSON.stringify(row.actor)}, ${row.endsSessions}, ${row.createdAt}, ${row.passesLeft})`.execute(
    db,
  );
}

export async function findRevocation(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Revocation | undefined> {
  const { rows } = await sql<Revocation>`
    select ${columns} from revocations r where r.environment_id = ${environmentId} and r.id = ${id}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** Locked until the transaction ends: connections are chosen by one process at a time. */
export async function lockRevocation(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Revocation | undefined> {
  const { rows } = await sql<Revocation>`
    select ${columns} from revocations r
     where r.environment_id = ${environmentId} and r.id = ${id} for update`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** Newest first. */
export async function listRevocationRows(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit }: { after: KeysetPosition | undefined; limit: number },
): Promise<Revocation[]> {
  const start =
    after === undefined ? sql`true` : sql`(r.created_at, r.id) < (${after.createdAt}, ${after.id})`;
  const { rows } = await sql<Revocation>`
    select ${columns} from revocations r where r.environment_id = ${environmentId} and ${start}
     order by r.created_at desc, r.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function storeProgress(
  db: Db,
  environmentId: EnvironmentId,
  progress: {
    readonly id: string;
    readonly added: number;
    readonly after: { readonly createdAt: Date; readonly id: number } | undefined;
    readonly passesLeft: number;
    readonly frozenAt: Date | null;
  },
): Promise<void> {
  const { id, added, after, passesLeft, frozenAt } = progress;
  await sql`
    update revocations
       set matched = matched + ${added}, after_created_at = ${after?.createdAt ?? null},
           after_id = ${after?.id ?? null}, passes_left = ${passesLeft}, frozen_at = ${frozenAt}
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

export async function storeTouched(
  db: Db,
  environmentId: EnvironmentId,
  { id, touched }: { id: string; touched: Touched },
): Promise<void> {
  await sql`
    update revocations set touched = ${JSON.stringify(touched)}
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** False while connections wait, such as one that a late refresh has brought back. */
export async function endRevocation(
  db: Db,
  environmentId: EnvironmentId,
  { id, summary, now }: { id: string; summary: string; now: Date },
): Promise<boolean> {
  const result = await sql`
    update revocations r set ended_at = ${now}, summary = ${summary}
     where r.environment_id = ${environmentId} and r.id = ${id} and not exists (
       select from revocation_items i where i.revocation_id = r.id and i.state = 'waiting')`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0) > 0;
}

/** Its reports have changed: it ends again, with another summary. */
export async function reopenRevocation(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<void> {
  await sql`
    update revocations set ended_at = null, summary = null
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

const noCounts: Counts = {
  ...{ waiting: 0, withdrawn: 0, partly_withdrawn: 0, not_withdrawable: 0 },
  ...{ failed: 0, gone: 0, released: 0 },
};

/** By revocation; in one query for a page of them. */
export async function countItems(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Counts>> {
  const { rows } = await sql<{ id: string; state: keyof Counts; count: number }>`
    select revocation_id as id, state, count(*)::int as count from revocation_items
     where revocation_id = any(${ids}::uuid[]) group by 1, 2`.execute(db);
  const counts = new Map(ids.map((id) => [id, noCounts]));
  for (const { id, state, count } of rows) {
    counts.set(id, { ...(counts.get(id) ?? noCounts), [state]: count });
  }
  return counts;
}

/** Of every environment: those that have not ended. */
export async function listOpenRevocations(
  db: Db,
): Promise<{ readonly id: string; readonly environmentId: EnvironmentId }[]> {
  const { rows } = await sql<{ id: string; environmentId: EnvironmentId }>`
    select id, environment_id from revocations where ended_at is null`.execute(db);
  return rows;
}

export async function deleteRevocationsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from revocations where ended_at < ${time}`.execute(db);
}

/** The end user that it names is erased. */
export async function eraseEndUserFromMatch(
  db: Db,
  environmentId: EnvironmentId,
  endUserId: string,
): Promise<void> {
  await sql`
    update revocations set match = match || '{"end_user_id": "erased"}', reason = null
     where environment_id = ${environmentId} and match ->> 'end_user_id' = ${endUserId}`.execute(
    db,
  );
}
