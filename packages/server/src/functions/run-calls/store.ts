import { sql } from "kysely";
import type { EnvironmentId, OperationId } from "#foundation";
import type { Db } from "#foundation/db";

/** Takes a lock that is free, expired, or already this run's; false when another run holds it. */
export async function acquireLock(
  db: Db,
  environmentId: EnvironmentId,
  lock: { key: string; owner: OperationId; ttlMs: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into function_locks as held (environment_id, key, owner, expires_at)
    values (${environmentId}, ${lock.key}, ${lock.owner}, now() + ${lock.ttlMs} * interval '1 ms')
    on conflict (environment_id, key) do update
       set owner = excluded.owner, expires_at = excluded.expires_at
     where held.owner = excluded.owner or held.expires_at <= now()
    returning key`.execute(db);
  return rows.length > 0;
}

/** False when the run did not hold it. */
export async function deleteLock(
  db: Db,
  environmentId: EnvironmentId,
  { key, owner }: { key: string; owner: OperationId },
): Promise<boolean> {
  const { rows } = await sql`
    delete from function_locks
     where environment_id = ${environmentId} and key = ${key} and owner = ${owner}
    returning key`.execute(db);
  return rows.length > 0;
}

export async function deleteLocksOf(
  db: Db,
  environmentId: EnvironmentId,
  owner: OperationId,
): Promise<void> {
  await sql`
    delete from function_locks
     where environment_id = ${environmentId} and owner = ${owner}`.execute(db);
}

/** Locks of every environment whose run never came to release them. */
export async function deleteOldLocks(db: Db): Promise<void> {
  await sql`delete from function_locks where expires_at <= now()`.execute(db);
}
