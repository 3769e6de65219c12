import {
  type EnvironmentContext,
  HOUR,
  MINUTE,
  SECOND,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer, type Db } from "#foundation/db";
import type { RecordChanges } from "../model.ts";
import { addRecordHours, addRecordMinutes, type RecordTally } from "./store.ts";

const WRITTEN_AFTER_MS = 2 * SECOND;
const ROWS_AT_ONCE = 500;
/** Minutes of one environment that wait while the database is away: a day. */
const MOST_OF_ENVIRONMENT = 1440;

type Owner = Pick<SystemContext, "state" | "db" | "log">;

/** Changes to records on their way to the database: one row for each minute, however many there were. */
const tallies = serverState(
  ({ log }: Pick<Owner, "log">) =>
    new CountBuffer<RecordTally>({
      log,
      keyOf,
      add: addTo,
      write: writeTallies,
      group: { of: (row) => row.environment_id, mostWaiting: MOST_OF_ENVIRONMENT },
      delayed: "records.counts_delayed",
      flushAfterMs: WRITTEN_AFTER_MS,
      rowsAtOnce: ROWS_AT_ONCE,
    }),
);

/** Counts changes of the current minute; nothing is written yet. */
export function tallyChanges(ctx: EnvironmentContext, changes: RecordChanges): void {
  const { added, updated, deleted } = changes;
  if (added + updated + deleted === 0) return;
  const at = floorTo(ctx.clock.now().getTime(), MINUTE);
  const row = { environment_id: ctx.environment.id, at, added, updated, deleted };
  tallies.of(ctx).add(ctx.db, row);
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushRecordTallies(ctx: Owner): Promise<void> {
  await tallies.of(ctx).flush();
}

async function writeTallies(db: Db, rows: readonly RecordTally[]): Promise<void> {
  await addRecordMinutes(db, rows.toSorted(byKey));
  await addRecordHours(db, toHours(rows));
}

/** Adds in place. */
function addTo(sum: RecordTally, row: RecordTally): RecordTally {
  for (const name of ["added", "updated", "deleted"] as const) sum[name] += row[name];
  return sum;
}

function toHours(minutes: readonly RecordTally[]): RecordTally[] {
  const hours = new Map<string, RecordTally>();
  for (const minute of minutes) {
    const row = { ...minute, at: floorTo(Date.parse(minute.at), HOUR) };
    const known = hours.get(keyOf(row));
    if (known === undefined) hours.set(keyOf(row), row);
    else addTo(known, minute);
  }
  return [...hours.values()].toSorted(byKey);
}

function floorTo(timeMs: number, stepMs: number): string {
  return new Date(Math.floor(timeMs / stepMs) * stepMs).toISOString();
}

function keyOf({ environment_id, at }: RecordTally): string {
  return `${environment_id} ${at}`;
}

/** One order for all processes, so that none waits for a row of another that waits for its own. */
function byKey(one: RecordTally, other: RecordTally): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
