import {
  type EnvironmentId,
  HOUR,
  MINUTE,
  reasonOf,
  SECOND,
  type SystemContext,
  serverState,
} from "#platform";
import { BatchesOnce, commonDb, type Db } from "#platform/db";
import type { EndState } from "../operation.ts";
import { DURATION_COUNTS, placeOfDuration } from "./durations.ts";
import { addHours, addMinutes, type TallyRow } from "./store.ts";
import { uncountedOperations } from "./uncounted-operations.ts";

const WRITTEN_AFTER_MS = 2 * SECOND;
const ROWS_AT_ONCE = 500;
/** Rows that wait, of all environments and of one. */
const MOST_ROWS = 20_000;
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

/** Counts of operations on their way to the database: one row for each minute and kind, however many there were. */
export class OperationTallies {
  readonly #log: SystemContext["log"];
  #db: Db | undefined;
  readonly #batches = new BatchesOnce<TallyRow>(ROWS_AT_ONCE);
  #rows = new Map<string, TallyRow>();
  readonly #ofEnvironment = new Map<EnvironmentId, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ log }: Pick<SystemContext, "log">) {
    this.#log = log;
  }

  /** Transactions are not written through: they may end, or be undone, before the counts are written. */
  useDatabase(db: Db): void {
    if (this.#db === undefined && !db.isTransaction) this.#db = db;
  }

  add(operation: EndedOperation): void {
    const row = this.#rowOf(operation);
    if (row === undefined) {
      uncountedOperations.add(1, {});
      return;
    }
    const durationMs = Math.max(0, Math.round(operation.durationMs));
    const place = placeOfDuration(durationMs);
    row[operation.state] += 1;
    row.duration_ms += durationMs;
    row.durations[place] = (row.durations[place] ?? 0) + 1;
    this.#timer ??= setTimeout(() => void this.flush(), WRITTEN_AFTER_MS).unref();
  }

  /** Writes what waits; what could not be written is tried again as it was. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => await this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    const db = this.#db;
    if (db === undefined) return;
    const take = () => {
      const rows = [...this.#rows.values()].toSorted(byKey);
      this.#rows = new Map();
      this.#ofEnvironment.clear();
      return rows;
    };
    try {
      await this.#batches.write(db, take, async (transaction, batch) => {
        await addMinutes(transaction, batch);
        await addHours(transaction, toHours(batch));
      });
    } catch (error) {
      this.#log.warn("logs.metrics_failed", { reason: reasonOf(error) });
      this.#timer ??= setTimeout(() => void this.flush(), WRITTEN_AFTER_MS).unref();
    }
  }

  #rowOf(operation: EndedOperation): TallyRow | undefined {
    const { environmentId, type, action, integration = "", function: name = "" } = operation;
    const at = Math.floor(operation.endedMs / MINUTE) * MINUTE;
    const key = [environmentId, at, type, action, integration, name].join("\n");
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const own = this.#ofEnvironment.get(environmentId) ?? 0;
    if (this.#rows.size >= MOST_ROWS || own >= MOST_OF_ENVIRONMENT) return undefined;
    const row = {
      ...{ environment_id: environmentId, at: new Date(at).toISOString(), type, action },
      ...{ integration, function: name, success: 0, failed: 0, timeout: 0, cancelled: 0 },
      ...{ duration_ms: 0, durations: Array.from({ length: DURATION_COUNTS }, () => 0) },
    };
    this.#rows.set(key, row);
    this.#ofEnvironment.set(environmentId, own + 1);
    return row;
  }
}

function addTo(sum: TallyRow, row: TallyRow): void {
  for (const name of ["success", "failed", "timeout", "cancelled", "duration_ms"] as const) {
    sum[name] += row[name];
  }
  for (const [place, count] of row.durations.entries()) {
    sum.durations[place] = (sum.durations[place] ?? 0) + count;
  }
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

function keyOf({ environment_id, at, type, action, integration, function: name }: TallyRow) {
  return [environment_id, at, type, action, integration, name].join("\n");
}

/** One order for all processes, so that none waits for a row of another that waits for its own. */
function byKey(one: TallyRow, other: TallyRow): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

type Owner = Pick<SystemContext, "state" | "db" | "log">;

const tallies = serverState((owner: Pick<Owner, "log">) => new OperationTallies(owner));

export function operationTalliesOf(ctx: Owner): OperationTallies {
  const own = tallies.of(ctx);
  own.useDatabase(commonDb(ctx.db));
  return own;
}
