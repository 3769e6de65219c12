import { sql } from "kysely";
import type { EnvironmentId, SyncId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import { priorityText } from "#foundation/fair-slots";
import { nextSlot, syncText } from "../store.ts";
import type { Sync } from "../sync.ts";

// As the trigger keep_sync_turn has it.
const WAITING =
  "deleted_at is null and running_run_id is null and (not paused or follow_up is not null)";

// What follows goes from environment to environment through sync_turns, and to a sync by its id alone (`is true` keeps
// a condition from an index): so there is one index that serves. While Postgres knows nothing of a table, or when one
// environment has nearly all of it, it would take a walk through the syncs of all for the shorter way.

const nextDueText = `select min(first.next_run_at) as "nextRunAt" from environments e
  cross join lateral (
    select next_run_at from sync_turns where environment_id = e.id and next_run_at is not null
     order by next_run_at limit 1) first`;
const nextDue = hotStatement("syncs_next_due", nextDueText);

/** When the next run falls due; of all environments. */
export async function findNextDueAt(db: Db): Promise<Date | undefined> {
  const [row] = await runHot<{ nextRunAt: Date | null }>(db, nextDue([]));
  return row?.nextRunAt ?? undefined;
}

const busyText = `select e.id as environment_id, running.count as busy from environments e
  cross join lateral (
    select count(*)::int as count from sync_turns
     where environment_id = e.id and next_run_at is null) running`;

const running = hotStatement(
  "syncs_running",
  `select coalesce(sum(busy), 0)::int as running from (${busyText}) busy`,
);

/** Runs in the queue or at work; of all environments. */
export async function countRunning(db: Db): Promise<number> {
  const [row] = await runHot<{ running: number }>(db, running([]));
  return row?.running ?? 0;
}

const load = hotStatement(
  "syncs_load",
  `select coalesce(sum(busy), 0)::int as running,
          coalesce(sum(busy) filter (where environment_id = $1), 0)::int as own from (${busyText}) busy`,
);

/** Runs in the queue or at work, of all environments and of one. */
export async function readLoad(
  db: Db,
  environmentId: EnvironmentId,
): Promise<{ running: number; own: number }> {
  const [row] = await runHot<{ running: number; own: number }>(db, load([environmentId]));
  return row ?? { running: 0, own: 0 };
}

// Each environment's due syncs in their order; then the first of each, the second of each, and so on, where an
// environment's running ones count as its first, the less the longer it waits.
const priority = priorityText({
  held: "b.busy",
  nth: "d.nth",
  since: "d.next_run_at",
  now: "$1::timestamptz",
});
const chooseDueText = `select d.id
     from (${busyText}) b
    cross join lateral (
      select id, next_run_at, row_number() over (order by next_run_at) as nth from (
        select sync_id as id, next_run_at from sync_turns
         where environment_id = b.environment_id and next_run_at <= $1
         order by next_run_at
         limit greatest(0, least($2::int, $3::int - b.busy))) first) d
    order by ${priority}, d.next_run_at
    limit $2::int`;
const chooseDue = hotStatement("syncs_choose_due", chooseDueText);

/** What looks for due syncs, for the bench: `chooseDue` takes now, room and share. */
export const dueStatements = { nextDue: nextDueText, chooseDue: chooseDueText } as const;

/** Due syncs of all environments, none of which gets more than its share of the slots. */
export async function chooseDueSyncs(
  db: Db,
  { now, room, share }: { now: Date; room: number; share: number },
): Promise<SyncId[]> {
  const rows = await runHot<{ id: SyncId }>(db, chooseDue([now, room, share]));
  return rows.map(({ id }) => id);
}

const lock = hotStatement(
  "syncs_lock_due",
  `select s.* from unnest($1::uuid[]) as wanted (id)
    cross join lateral (
      select ${syncText},
             (select f.enabled from functions f where f.id = s.function_id) as enabled
        from syncs s where id = wanted.id and (${WAITING}) is true for update skip locked) s
    order by s."nextRunAt"`,
);

/** A sync that is due, and whether its function may run. */
export type DueSync = Sync & { readonly enabled: boolean };

/** Those that nobody has taken meanwhile, locked until the transaction ends. */
export async function lockSyncs(db: Db, ids: readonly SyncId[]): Promise<DueSync[]> {
  return ids.length === 0 ? [] : await runHot<DueSync>(db, lock([ids]));
}

/** Lets the slot of locked syncs pass, and what was asked for. */
export async function passSlots(db: Db, ids: readonly SyncId[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update syncs set follow_up = null, next_run_at = ${nextSlot(now)}, updated_at = ${now}
     where id = any(${ids}::uuid[])`.execute(db);
}
