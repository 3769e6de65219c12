import {
  type EnvironmentId,
  HOUR,
  MINUTE,
  SECOND,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer, type Db, isPreparedSchema } from "#foundation/db";
import { defineCounter } from "#foundation/instruments";
import type { EndState } from "../operation.ts";
import { countDuration, DURATION_COUNTS } from "./durations.ts";
import { addHours, addMinutes, addMinutesAndHours, type TallyRow } from "./store.ts";

const uncountedOperations = defineCounter({
  name: "svc_log_operations_uncounted_total",
  help: "Operations that series and totals do not include: too many kinds at once, or the database was unreachable.",
  unit: "{operation}",
  labels: [],
});

const WRITTEN_AFTER_MS = 2 * SECOND;
const ROWS_AT_ONCE = 500;
/** Rows of one environment that wait. */
const MOST_OF_ENVIRONMENT = 1000;

/** An operation that has ended, as far as it is counted. */
export interface EndedOperation {
  readonly environmentId: EnvironmentId;
  readonly type: string;
  readonly action: string;
  /** By name. */
  readonly integration?: string | undefined;
  readonly function?: string | undefined;
  readonly state: EndState;
  /** Milliseconds since 1970. */
  readonly endedMs: number;
  readonly durationMs: number;
}

type Owner = Pick<SystemContext, "state" | "db" | "log">;

/** Counts of operations on their way to the database: one row for each minute and kind, however many there were. */
const tallies = serverState(
  ({ log, state }: Pick<Owner, "log" | "state">) =>
    new CountBuffer<TallyRow>({
      log,
      keyOf,
      add: addTo,
      write: writeTallies,
      writeAtOnce: async (db, batchId, rows) => {
        if (await isPreparedSchema({ db, state })) return false;
        const [minutes, hours] = [rows.toSorted(byKey), toHours(rows)];
        await addMinutesAndHours(db, { batchId, minutes, hours });
        return true;
      },
      group: { of: (row) => row.environment_id, mostWaiting: MOST_OF_ENVIRONMENT },
      onLost: () => uncountedOperations.add(1, {}),
      delayed: "logs.metrics_failed",
      flushAfterMs: WRITTEN_AFTER_MS,
      rowsAtOnce: ROWS_AT_ONCE,
    }),
);

/** On the path of every call: it makes a key, and a row only for the first of a minute. */
export function tallyOperation(ctx: Owner, operation: EndedOperation): void {
  const { environmentId, type, action, integration = "", function: name = "" } = operation;
  const at = Math.floor(operation.endedMs / MINUTE) * MINUTE;
  const key = `${environmentId}\n${at}\n${type}\n${action}\n${integration}\n${name}`;
  const row = tallies.of(ctx).at(ctx.db, key, () => newRow(operation));
  if (row === undefined) return;
  const durationMs = Math.max(0, Math.round(operation.durationMs));
  row[operation.state] += 1;
  row.duration_ms += durationMs;
  countDuration(row.durations, durationMs);
}

/** Writes what waits; ends in a few seconds also while the database is away, which keeps it. */
export async function flushTallies(ctx: Owner): Promise<void> {
  await tallies.of(ctx).flush();
}

function newRow({ environmentId, type, action, ...operation }: EndedOperation): TallyRow {
  const at = Math.floor(operation.endedMs / MINUTE) * MINUTE;
  return {
    ...{ environment_id: environmentId, at: new Date(at).toISOString(), type, action },
    ...{ integration: operation.integration ?? "", function: operation.function ?? "" },
    ...{ success: 0, failed: 0, timeout: 0, cancelled: 0, duration_ms: 0 },
    durations: Array.from({ length: DURATION_COUNTS }, () => 0),
  };
}

async function writeTallies(db: Db, rows: readonly TallyRow[]): Promise<void> {
  await addMinutes(db, rows.toSorted(byKey));
  await addHours(db, toHours(rows));
}

/** Adds in place. */
function addTo(sum: TallyRow, row: TallyRow): TallyRow {
  for (const name of ["success", "failed", "timeout", "cancelled", "duration_ms"] as const) {
    sum[name] += row[name];
  }
  for (const [place, count] of row.durations.entries()) {
    sum.durations[place] = (sum.durations[place] ?? 0) + count;
  }
  return sum;
}

function toHours(minutes: readonly TallyRow[]): TallyRow[] {
  const hours = new Map<string, TallyRow>();
  for (const minute of minutes) {
    const at = new Date(Math.floor(Date.parse(minute.at) / HOUR) * HOUR).toISOString();
    const row = { ...minute, at, durations: [...minute.durations] };
    const known = hours.get(keyOf(row));
    if (known === undefined) hours.set(keyOf(row), row);
    else addTo(known, minute);
  }
  return [...hours.values()].toSorted(byKey);
}

/** Of a row of a table. */
function keyOf({ environment_id, at, type, action, integration, function: name }: TallyRow) {
  return [environment_id, at, type, action, integration, name].join("\n");
}

/** One order for all processes, so that none waits for a row of another that waits for its own. */
function byKey(one: TallyRow, other: TallyRow): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
