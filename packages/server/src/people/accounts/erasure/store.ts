import { sql } from "kysely";
import type { KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import type { AccountCounts, AccountErasure } from "./account-erasure.ts";

const columns = sql.raw(
  `id, account_id as "accountId", step, environment_ids as "environmentIds", counts,
   created_at as "createdAt", ended_at as "endedAt"`,
);

/** Undefined when the account has one already. */
export async function insertAccountErasure(
  db: Db,
  row: {
    id: string;
    accountId: string;
    environmentIds: readonly string[];
    counts: AccountCounts;
    createdAt: Date;
  },
): Promise<AccountErasure | undefined> {
  const { id, accountId, environmentIds, counts, createdAt } = row;
  const { rows } = await sql<AccountErasure>`
    insert into account_erasures (id, account_id, environment_ids, counts, created_at)
    values (${id}, ${accountId}, ${environmentIds}::uuid[], ${JSON.stringify(counts)}, ${createdAt})
    on conflict (account_id) do nothing
    returning ${columns}`.execute(db.withoutPlugins());
  return rows[0];
}

export async function findErasureOfAccount(
  db: Db,
  accountId: string,
): Promise<AccountErasure | undefined> {
  const { rows } = await sql<AccountErasure>`
    select ${columns} from account_erasures where account_id = ${accountId}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

export async function findAccountErasure(db: Db, id: string): Promise<AccountErasure | undefined> {
  const { rows } = await sql<AccountErasure>`
    select ${columns} from account_erasures where id = ${id}`.execute(db.withoutPlugins());
  return rows[0];
}

/** The newest first. */
export async function listAccountErasureRows(
  db: Db,
  { after, limit }: { after: KeysetPosition | undefined; limit: number },
): Promise<AccountErasure[]> {
  const isAfter =
    after === undefined
      ? sql`true`
      : sql`(created_at, id) < (${after.createdAt}, ${after.id}::uuid)`;
  const { rows } = await sql<AccountErasure>`
    select ${columns} from account_erasures where ${isAfter}
     order by created_at desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

/** Those that have not ended; they are few. */
export async function listOpenErasures(db: Db): Promise<{ id: string; accountId: string }[]> {
  const { rows } = await sql<{ id: string; accountId: string }>`
    select id, account_id as "accountId" from account_erasures where ended_at is null`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

/** Notes that a step is done, once. */
export async function noteAccountStep(
  db: Db,
  id: string,
  { step, counts, endedAt }: { step: number; counts: AccountCounts; endedAt: Date | null },
): Promise<void> {
  await sql`
    update account_erasures
       set step = ${step + 1}, ended_at = ${endedAt},
           counts = counts || (
             select coalesce(jsonb_object_agg(key, coalesce((counts ->> key)::int, 0) + value::int), '{}')
               from jsonb_each_text(${JSON.stringify(counts)}::jsonb))
     where id = ${id} and step = ${step}`.execute(db);
}

/** Nobody of the account signs in any more, by any way; resolves to how many people it has. */
export async function shutOutPeople(db: Db, accountId: string, now: Date): Promise<number> {
  await sql`
    delete from user_sessions where user_id in (select id from users where account_id = ${accountId})`.execute(
    db,
  );
  await sql`delete from one_time_links where account_id = ${accountId}`.execute(db);
  await sql`delete from oidc_providers where account_id = ${accountId}`.execute(db);
  const { numAffectedRows } = await sql`
    update users set disabled_at = coalesce(disabled_at, ${now}) where account_id = ${accountId}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

export interface Named {
  readonly id: string;
  readonly email: string;
}

export async function listNamesOfPeople(db: Db, accountId: string): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select id, email from users where account_id = ${accountId}`.execute(db);
  return rows;
}

/** The people, with all by which they signed in, and then the account itself. */
export async function deleteAccountRows(db: Db, accountId: string): Promise<void> {
  await sql`delete from users where account_id = ${accountId}`.execute(db);
  await sql`delete from accounts where id = ${accountId}`.execute(db);
}
