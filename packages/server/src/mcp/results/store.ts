import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

interface NewResult {
  readonly id: string;
  /** Undefined for what is of no single connection; it has a session then. */
  readonly connectionUuid: ConnectionUuid | undefined;
  readonly sessionId: string | undefined;
  /** Sealed. */
  readonly value: Buffer;
  readonly createdAt: Date;
}

/** Stores the result; of those of its connection, or of none in its session, the newest stay, as many as `kept` says. */
export async function insertResult(
  db: Db,
  environmentId: EnvironmentId,
  { id, connectionUuid, sessionId, value, createdAt, kept }: NewResult & { readonly kept: number },
): Promise<void> {
  const isAlike =
    connectionUuid === undefined
      ? sql`session_id = ${sessionId ?? null}::uuid and connection_uuid is null`
      : sql`connection_uuid = ${connectionUuid}`;
  await sql`
    with surplus as (
      delete from tool_results where id in (
        select id from tool_results
         where environment_id = ${environmentId} and ${isAlike}
         order by created_at desc offset ${kept}))
    insert into tool_results (id, environment_id, connection_uuid, session_id, value, created_at)
    values (${id}, ${environmentId}, ${connectionUuid ?? null}, ${sessionId ?? null}, ${value}, ${createdAt})`.execute(
    db,
  );
}

export type ResultOwnerKey =
  | { readonly sessionId: string }
  | { readonly connectionUuid: ConnectionUuid };

export async function findResult(
  db: Db,
  environmentId: EnvironmentId,
  { id, owner, since }: { id: string; owner: ResultOwnerKey; since: Date },
): Promise<Buffer | undefined> {
  const isOwn =
    "sessionId" in owner
      ? sql`session_id = ${owner.sessionId}`
      : sql`connection_uuid = ${owner.connectionUuid} and session_id is null`;
  const { rows } = await sql<{ value: Buffer }>`
    select value from tool_results
     where environment_id = ${environmentId} and id = ${id} and ${isOwn}
       and created_at >= ${since}`.execute(db);
  return rows[0]?.value;
}

export async function deleteResultsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from tool_results where created_at < ${time}`.execute(db);
}
