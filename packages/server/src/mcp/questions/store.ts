import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

interface WaitingQuestion {
  readonly id: string;
  readonly owner: string;
}

export async function insertQuestion(
  db: Db,
  environmentId: EnvironmentId,
  { id, owner, createdAt }: WaitingQuestion & { readonly createdAt: Date },
): Promise<void> {
  await sql`
    insert into tool_questions (id, environment_id, owner, created_at)
    values (${id}, ${environmentId}, ${owner}, ${createdAt})`.execute(db);
}

/** The first answer counts; nothing happens for a question of another owner, and for one that nobody waits for. */
export async function answerQuestion(
  db: Db,
  environmentId: EnvironmentId,
  { id, owner, answer }: WaitingQuestion & { readonly answer: Buffer },
): Promise<void> {
  await sql`
    update tool_questions set answer = ${answer}
     where environment_id = ${environmentId} and id = ${id} and owner = ${owner} and answer is null`.execute(
    db,
  );
}

/** Takes the answer; undefined while there is none. */
export async function takeAnswer(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ answer: Buffer }>`
    delete from tool_questions
     where environment_id = ${environmentId} and id = ${id} and answer is not null
    returning answer`.execute(db);
  return rows[0]?.answer;
}

export async function deleteQuestion(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<void> {
  await sql`delete from tool_questions where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
}

export async function deleteQuestionsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from tool_questions where created_at < ${time}`.execute(db);
}

interface WantedKept extends WaitingQuestion {
  readonly since: Date;
}

export async function insertKept(
  db: Db,
  environmentId: EnvironmentId,
  { id, owner, createdAt, value }: WaitingQuestion & { createdAt: Date; value: Buffer },
): Promise<void> {
  await sql`
    insert into tool_questions (id, environment_id, owner, answer, created_at)
    values (${id}, ${environmentId}, ${owner}, ${value}, ${createdAt})`.execute(db);
}

export async function hasKeptRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, owner, since }: WantedKept,
): Promise<boolean> {
  const { rows } = await sql`
    select from tool_questions
     where environment_id = ${environmentId} and id = ${id} and owner = ${owner} and created_at > ${since}`.execute(
    db,
  );
  return rows.length > 0;
}

export async function takeKeptRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, owner, since }: WantedKept,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ answer: Buffer }>`
    delete from tool_questions
     where environment_id = ${environmentId} and id = ${id} and owner = ${owner} and created_at > ${since}
    returning answer`.execute(db);
  return rows[0]?.answer;
}
