import { type EnvironmentId, SECOND, type SystemContext } from "#foundation";
import {
  askEach,
  boundedDb,
  type Db,
  isPreparedSchema,
  passedOverUntil,
  silence,
  WorkerAway,
  WorkerSilent,
} from "#foundation/db";

/** Of each statement about rows of several environments. */
const WRITTEN_WITHIN_MS = 3 * SECOND;

interface LogOptions extends Pick<SystemContext, "clock" | "state" | "log"> {
  /** The log has a server of its own, which is never a cluster. */
  readonly hasServer: boolean;
}

interface Owned {
  readonly environmentId: EnvironmentId;
}

/** Where the log is distributed: a server that is away or silent holds up the rows of its environments alone. */
export class DistributedLog {
  readonly #options: LogOptions;

  constructor(options: LogOptions) {
    this.#options = options;
  }

  /** The handle by which rows of several environments are written: the same one where nothing is distributed. */
  async #bound(db: Db): Promise<Db> {
    const { state, hasServer } = this.#options;
    const isDistributed = !hasServer && (await isPreparedSchema({ db, state }));
    return isDistributed ? boundedDb(db, WRITTEN_WITHIN_MS) : db;
  }

  /** Rows of these wait until their server is asked again. */
  isPassedOver(environmentId: EnvironmentId): boolean {
    return passedOverUntil(this.#options, environmentId) !== undefined;
  }

  /**
   * Writes rows together; where that fails, rows of one environment after the other. Those that are suspected of silence
   * come last and alone. Resolves to rows that have to wait. What else fails is thrown, after which all may be tried again:
   * a row that is there stays as it is.
   */
  async write<Row extends Owned>(
    db: Db,
    rows: readonly Row[],
    write: (db: Db, rows: readonly Row[]) => Promise<void>,
  ): Promise<Row[]> {
    const bound = await this.#bound(db);
    if (bound === db) {
      await write(db, rows);
      return [];
    }
    const silent = silence.of(this.#options);
    const isSure = ({ environmentId }: Row) =>
      !silent.isSuspected(environmentId) && !this.isPassedOver(environmentId);
    const { sure = [], unsure = [] } = Object.groupBy(rows, (row) =>
      isSure(row) ? "sure" : "unsure",
    );
    try {
      if (sure.length > 0) await write(bound, sure);
    } catch (error) {
      if (!(error instanceof WorkerAway)) throw error;
      return await this.#writeApart(db, rows, write);
    }
    return unsure.length === 0 ? [] : await this.#writeApart(db, unsure, write);
  }

  async #writeApart<Row extends Owned>(
    db: Db,
    rows: readonly Row[],
    write: (db: Db, rows: readonly Row[]) => Promise<void>,
  ): Promise<Row[]> {
    const { log, clock, state } = this.#options;
    const groups = Map.groupBy(rows, (row) => row.environmentId);
    const asked = await askEach({ db, log, clock, state }, groups, async ({ db }, own) => {
      await write(db, own);
    });
    const waiting: Row[] = [];
    for (const { environmentId, item, outcome } of asked) {
      if (outcome.status === "fulfilled") continue;
      if (!(outcome.reason instanceof WorkerAway)) throw outcome.reason;
      waiting.push(...item);
      // One that is away is not asked with each batch either.
      if (!(outcome.reason instanceof WorkerSilent)) {
        silence.of(this.#options).note(environmentId, clock.now());
      }
      if (this.isPassedOver(environmentId)) {
        log.warn("logs.environment_waits", { environment: environmentId, rows: item.length });
      }
    }
    return waiting;
  }
}
