import { sql } from "kysely";
import type { Db } from "#foundation/db";

interface FailureRow {
  readonly subject: Buffer;
  readonly failures: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

function tables(db: Db) {
  return db.withTables<{ signInFailures: FailureRow }>();
}

export interface CountedFailure {
  readonly subject: Buffer;
  readonly now: Date;
  readonly free: number;
  readonly firstPauseMs: number;
  readonly mostPauseMs: number;
  readonly windowMs: number;
}

/** Counts one more, in one statement; false, and nothing is counted, while the subject has to wait. */
export async function tryToCount(db: Db, counted: CountedFailure): Promise<boolean> {
  const { subject, now, free, firstPauseMs, mostPauseMs, windowMs } = counted;
  const { rows } = await sql`
    insert into sign_in_failures as known (subject, failures, first_at, last_at)
    values (${subject}, 1, ${now}, ${now})
    on conflict (subject) do update set
      failures = case when ${isOld(now, windowMs)} then 1 else known.failures + 1 end,
      first_at = case when ${isOld(now, windowMs)} then excluded.first_at else known.first_at end,
      last_at = excluded.last_at
    where known.failures < ${free} or ${now}::timestamptz >= known.last_at
      + least(${mostPauseMs}::float8, ${firstPauseMs}::float8 * power(2, least(known.failures - ${free}, 20)))
        * interval '1 millisecond'
    returning 1`.execute(db);
  return rows.length === 1;
}

function isOld(now: Date, windowMs: number) {
  return sql`known.last_at <= ${now}::timestamptz - ${windowMs}::float8 * interval '1 millisecond'`;
}

export async function findFailures(db: Db, subject: Buffer): Promise<FailureRow | undefined> {
  return await tables(db)
    .selectFrom("signInFailures")
    .selectAll()
    .where("subject", "=", subject)
    .executeTakeFirst();
}

/** What was counted was no failure. */
export async function takeBackFailure(db: Db, subject: Buffer): Promise<void> {
  await tables(db)
    .updateTable("signInFailures")
    .set(({ eb }) => ({ failures: eb("failures", "-", 1) }))
    .where("subject", "=", subject)
    .where("failures", ">", 0)
    .execute();
}

export async function deleteFailures(db: Db, subjects: readonly Buffer[]): Promise<void> {
  if (subjects.length === 0) return;
  await tables(db).deleteFrom("signInFailures").where("subject", "in", subjects).execute();
}

export async function deleteFailuresBefore(db: Db, before: Date): Promise<void> {
  await tables(db).deleteFrom("signInFailures").where("lastAt", "<", before).execute();
}
