import type pg from "pg";
import type { EnvironmentContext } from "../../packages/server/src/foundation/index.ts";

const KEY = 471_100;

/**
 * As on a server that drops packets, inserts of these environments meet no error and no answer until disposed.
 */
export async function lockInsertsOf(
  pool: pg.Pool,
  table: string,
  ...silent: EnvironmentContext[]
): Promise<AsyncDisposable> {
  const ids = silent.map(({ environment }) => environment.id);
  await pool.query(`
    create or replace function wait_for_test() returns trigger language plpgsql as $$
    begin
      if new.environment_id = any('{${ids.join()}}') then perform pg_advisory_xact_lock_shared(${KEY}); end if;
      return new;
    end $$;
    create or replace trigger wait_for_test before insert on ${table} for each row execute function wait_for_test()`);
  const client = await pool.connect();
  await client.query("select pg_advisory_lock($1)", [KEY]);
  let isLocked = true;
  return {
    async [Symbol.asyncDispose]() {
      if (!isLocked) return;
      isLocked = false;
      await client.query("select pg_advisory_unlock($1)", [KEY]);
      client.release();
      await pool.query(`drop trigger wait_for_test on ${table}`);
    },
  };
}

/** Ends what waits for the lock as its time-out would; answers how many statements that were. */
export async function cancelWaiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(`
    select pg_cancel_backend(pid) from pg_locks
     where locktype = 'advisory' and not granted and (classid::bigint << 32) + objid::bigint = ${KEY}`);
  return rows.length;
}
