import { sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import type { ErasedCounts, Erasure } from "./erasure.ts";

const columns = sql.raw(`id, step, counts, created_at as "createdAt", ended_at as "endedAt"`);

export interface NewErasure {
  readonly id: string;
  readonly subjectHash: Buffer;
  /** Sealed. */
  readonly subject: Buffer;
  readonly createdAt: Date;
}

/** Undefined when one for the same end user runs. */
export async function insertErasure(
  db: Db,
  environmentId: EnvironmentId,
  { id, subjectHash, subject, createdAt }: NewErasure,
): Promise<Erasure | undefined> {
  const { rows } = await sql<Erasure>`
    insert into erasures (id, environment_id, subject_hash, subject, created_at)
    values (${id}, ${environmentId}, ${subjectHash}, ${subject}, ${createdAt})
    on conflict (environment_id, subject_hash) where ended_at is null do nothing
    returning ${columns}`.execute(db.withoutPlugins());
  return rows[0];
}

export async function findRunningErasure(
  db: Db,
  environmentId: EnvironmentId,
  subjectHash: Buffer,
): Promise<Erasure | undefined> {
  const { rows } = await sql<Erasure>`
    select ${columns} from erasures
     where environment_id = ${environmentId} and subject_hash = ${subjectHash} and ended_at is null`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

export async function findErasure(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Erasure | undefined> {
  const { rows } = await sql<Erasure>`
    select ${columns} from erasures where environment_id = ${environmentId} and id = ${id}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

export interface ErasurePage {
  /** Only those of one end user. */
  readonly subjectHash: Buffer | undefined;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listErasures(
  db: Db,
  environmentId: EnvironmentId,
  { subjectHash, after, limit }: ErasurePage,
): Promise<Erasure[]> {
  const wanted = [sql`environment_id = ${environmentId}`];
  if (subjectHash !== undefined) wanted.push(sql`subject_hash = ${subjectHash}`);
  if (after !== undefined) wanted.push(sql`(created_at, id) < (${after.createdAt}, ${after.id})`);
  const { rows } = await sql<Erasure>`
    select ${columns} from erasures where ${sql.join(wanted, sql` and `)}
     order by created_at desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export interface LockedErasure {
  readonly step: number;
  /** Sealed. */
  readonly subject: Buffer;
}

/** What is to be done next; undefined once it has ended. */
export async function findOpenErasure(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<LockedErasure | undefined> {
  const { rows } = await sql<LockedErasure>`
    select step, subject from erasures
     where environment_id = ${environmentId} and id = ${id} and ended_at is null and subject is not null`.execute(
    db,
  );
  return rows[0];
}

interface StepDone {
  readonly id: string;
  readonly step: number;
  readonly erased: ErasedCounts;
  /** Sealed again where more is known; undefined: as it was. */
  readonly subject: Buffer | undefined;
  /** Null while steps are left. */
  readonly endedAt: Date | null;
}

/** Notes that a step is done, once. */
export async function noteStep(
  db: Db,
  environmentId: EnvironmentId,
  { id, step, erased, subject, endedAt }: StepDone,
): Promise<void> {
  await sql`
    update erasures
       set step = ${step + 1}, ended_at = ${endedAt},
           subject = case when ${endedAt}::timestamptz is not null then null
                          else coalesce(${subject ?? null}, subject) end,
           counts = ${sumOf(erased)}
     where environment_id = ${environmentId} and id = ${id} and step = ${step}`.execute(db);
}

/** Adds to what has been counted. */
export async function addErased(
  db: Db,
  environmentId: EnvironmentId,
  { id, erased }: Pick<StepDone, "id" | "erased">,
): Promise<void> {
  await sql`
    update erasures set counts = ${sumOf(erased)} where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
}

function sumOf(erased: ErasedCounts) {
  return sql`counts || (
    select coalesce(jsonb_object_agg(key, coalesce((counts ->> key)::int, 0) + value::int), '{}')
      from jsonb_each_text(${JSON.stringify(erased)}::jsonb))`;
}

/** Erasures of every environment that have not ended. */
export async function listOpenErasures(
  db: Db,
): Promise<{ readonly id: string; readonly environmentId: EnvironmentId }[]> {
  const { rows } = await sql<{ id: string; environmentId: EnvironmentId }>`
    select id, environment_id from erasures where ended_at is null`.execute(db);
  return rows;
}
