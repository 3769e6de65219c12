import { sql } from "kysely";
import type { Db } from "#foundation/db";

export interface ReadCount {
  readonly accountId: string;
  readonly environmentId: string;
  readonly keyId: string;
  readonly connectionUuid: string;
  /** Begin of the minute. */
  readonly minuteMs: number;
  reads: number;
}

/** Adds to what the minutes have. */
export async function addReads(db: Db, counts: readonly ReadCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into credential_reads as r (account_id, environment_id, key_id, connection_uuid, minute, reads)
    select c."accountId", c."environmentId", c."keyId", c."connectionUuid",
           to_timestamp(c."minuteMs" / 1000.0), c.reads
      from json_to_recordset(${JSON.stringify(counts)}::json) as c
      ("accountId" uuid, "environmentId" uuid, "keyId" uuid, "connectionUuid" uuid, "minuteMs" bigint, reads bigint)
     order by 1, 5, 3, 4
    on conflict (account_id, minute, key_id, connection_uuid) do update set reads = r.reads + excluded.reads`.execute(
    db,
  );
}

export interface ReadRow {
  readonly environmentId: string;
  readonly keyId: string;
  readonly keyName: string | null;
  readonly connectionUuid: string;
  /** As the connection is called now, and its integration; null for one that is gone. */
  readonly connectionId: string | null;
  readonly integrationKey: string | null;
  readonly minute: Date;
  readonly reads: number;
}

export interface ReadFilter {
  readonly keyId?: string | undefined;
  readonly environmentId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Where a page ends. */
export interface ReadPosition {
  readonly minute: Date;
  readonly keyId: string;
  readonly connectionUuid: string;
}

/** Latest minute first. */
export async function listReads(
  db: Db,
  accountId: string,
  { filter, after, limit }: { filter: ReadFilter; after: ReadPosition | undefined; limit: number },
): Promise<ReadRow[]> {
  const { keyId, environmentId, connectionId, from, to } = filter;
  const wanted = [sql`r.account_id = ${accountId}`];
  if (keyId !== undefined) wanted.push(sql`r.key_id = ${keyId}`);
  if (environmentId !== undefined) wanted.push(sql`r.environment_id = ${environmentId}`);
  if (connectionId !== undefined) {
    wanted.push(
      sql`r.connection_uuid in (select uuid from connections where connection_id = ${connectionId})`,
    );
  }
  if (from !== undefined) wanted.push(sql`r.minute >= ${from}`);
  if (to !== undefined) wanted.push(sql`r.minute < ${to}`);
  if (after !== undefined) {
    wanted.push(sql`(r.minute, r.key_id, r.connection_uuid) <
      (${after.minute}, ${after.keyId}::uuid, ${after.connectionUuid}::uuid)`);
  }
  const { rows } = await sql<ReadRow>`
    select r.environment_id, r.key_id, k.display_name as key_name, r.connection_uuid, c.connection_id,
           i.unique_key as integration_key, r.minute, r.reads
      from credential_reads r left join api_keys k on k.id = r.key_id
      left join connections c on c.uuid = r.connection_uuid and c.deleted_at is null
      left join integrations i on i.id = c.integration_id
     where ${sql.join(wanted, sql` and `)}
     order by r.minute desc, r.key_id desc, r.connection_uuid desc limit ${limit}`.execute(db);
  return rows;
}

export async function deleteReadsBefore(db: Db, before: Date): Promise<void> {
  await sql`delete from credential_reads where minute < ${before}`.execute(db);
}

export async function deleteReadsOfAccount(db: Db, accountId: string): Promise<void> {
  await sql`delete from credential_reads where account_id = ${accountId}`.execute(db);
}
