import { type EnvironmentId, type OperationId, reasonOf, type SystemContext } from "#platform";
import type { Db } from "#platform/db";
import { insertOperations, type RowJson } from "../store.ts";

/** An operation that takes longer is written as running. */
const WRITTEN_AFTER_MS = 1000;
const ROWS_AT_ONCE = 500;

interface Open {
  readonly environmentId: EnvironmentId;
  readonly json: RowJson;
  readonly begunAt: number;
}

/**
 * Operations that have begun and are not in the log yet: most end before they are due there, and are written once.
 * There are as many as runs at work in this process.
 */
export class OpenOperations {
  readonly #waiting = new Map<OperationId, Open>();
  readonly #writing = new Map<OperationId, Promise<void>>();
  readonly #options: { readonly log: SystemContext["log"]; findDb(): Db | undefined };
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { log: SystemContext["log"]; findDb(): Db | undefined }) {
    this.#options = options;
  }

  add(id: OperationId, environmentId: EnvironmentId, json: RowJson): void {
    this.#waiting.set(id, { environmentId, json, begunAt: performance.now() });
    this.#writeLater();
  }

  /** True when nothing of it was written, and nothing will be; false when it is in the log, or should be. */
  async withdraw(id: OperationId): Promise<boolean> {
    if (this.#waiting.delete(id)) return true;
    await this.#writing.get(id);
    return false;
  }

  /** Writes all of them, or those of one environment, without a regard for their age. */
  async write(environmentId?: EnvironmentId): Promise<void> {
    await this.#writeThose(
      ({ environmentId: own }) => environmentId === undefined || own === environmentId,
    );
  }

  #writeLater(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    const write = async () => {
      this.#timer = undefined;
      const before = performance.now() - WRITTEN_AFTER_MS;
      await this.#writeThose(({ begunAt }) => begunAt <= before);
      this.#writeLater();
    };
    this.#timer = setTimeout(() => void write(), WRITTEN_AFTER_MS / 2).unref();
  }

  async #writeThose(isWanted: (operation: Open) => boolean): Promise<void> {
    const db = this.#options.findDb();
    const wanted = [...this.#waiting].filter(([, operation]) => isWanted(operation));
    if (db === undefined) return;
    for (let from = 0; from < wanted.length; from += ROWS_AT_ONCE) {
      const rows = wanted.slice(from, from + ROWS_AT_ONCE);
      const written = this.#insert(
        db,
        rows.map(([, { json }]) => json),
      );
      for (const [id] of rows) {
        this.#waiting.delete(id);
        this.#writing.set(id, written);
      }
      await written;
      for (const [id] of rows) this.#writing.delete(id);
    }
  }

  /** What could not be written is there when it ends. */
  async #insert(db: Db, rows: readonly RowJson[]): Promise<void> {
    try {
      await insertOperations(db, rows);
    } catch (error) {
      this.#options.log.warn("logs.write_failed", { rows: rows.length, reason: reasonOf(error) });
    }
  }
}
