import type pg from "pg";
import type { EnvironmentContext } from "../../packages/server/src/foundation/index.ts";

const KEY = 471_101;

/**
 * As on a server that drops packets, no statement about addresses of webhooks of these environments is answered, until
 * disposed. Each of them has one at least, for work finds out by reading them whether a server answers.
 */
export async function holdAnswersOf(
  pool: pg.Pool,
  silent: readonly EnvironmentContext[],
): Promise<AsyncDisposable> {
  await pool.query(
    `insert into webhook_receivers (id, environment_id, url)
     select gen_random_uuid(), id, 'https://held.example.com/' from unnest($1::uuid[]) id`,
    [silent.map(({ environment }) => environment.id)],
  );
  return await holdRowsOf(pool, "webhook_receivers", silent);
}

/** The same for another table, in which each of them has a row. */
export async function holdRowsOf(
  pool: pg.Pool,
  table: string,
  silent: readonly EnvironmentContext[],
): Promise<AsyncDisposable> {
  const ids = silent.map(({ environment }) => environment.id);
  await pool.query(`
    create or replace function answer_for_test(environment uuid) returns boolean language plpgsql as $$
    begin
      if environment = any('{${ids.join()}}') then perform pg_advisory_xact_lock_shared(${KEY}); end if;
      return true;
    end $$;
    alter table ${table} rename to table_there;
    create view ${table} as select * from table_there where answer_for_test(environment_id)`);
  const client = await pool.connect();
  await client.query("select pg_advisory_lock($1)", [KEY]);
  let isHeld = true;
  return {
    async [Symbol.asyncDispose]() {
      if (!isHeld) return;
      isHeld = false;
      await client.query("select pg_advisory_unlock($1)", [KEY]);
      client.release();
      await pool.query(`drop view ${table}; alter table table_there rename to ${table}`);
    },
  };
}
