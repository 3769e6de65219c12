import { type EnvironmentId, type OperationId, reasonOf, type SystemContext } from "#foundation";
import type { Db } from "#foundation/db";
import { insertOperations, type RowJson } from "../store.ts";
import type { DistributedLog } from "./distributed-log.ts";

/** An operation that takes longer is written as running. */
const WRITTEN_AFTER_MS = 1000;
const ROWS_AT_ONCE = 500;
/** While the log cannot be written; what is begun beyond is written with its end alone. */
const MOST_WAITING = 20_000;

interface Begun {
  readonly id: OperationId;
  readonly environmentId: EnvironmentId;
  readonly json: RowJson;
  /** It is on its way to the log, or was once and its answer was lost. */
  readonly isSent: boolean;
}

interface Open extends Pick<Begun, "environmentId" | "json"> {
  readonly begunAt: number;
  isSent: boolean;
}

interface OpenOptions extends Pick<SystemContext, "log"> {
  readonly distributed: DistributedLog;
  findDb(): Db | undefined;
}

/**
 * Operations that have begun and are not in the log yet: most end before they are due there, and are written once.
 * There are as many as runs at work in this process; while the log is away those that run for long wait here.
 */
export class OpenOperations {
  readonly #waiting = new Map<OperationId, Open>();
  readonly #options: OpenOptions;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: OpenOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#waiting.size;
  }

  add({ id, environmentId, json, isSent }: Begun): void {
    if (this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.set(id, { environmentId, json, begunAt: performance.now(), isSent });
    this.#writeLater();
  }

  /** True when nothing of it was written, and nothing will be; false when it is in the log, or may be. */
  withdraw(id: OperationId): boolean {
    const open = this.#waiting.get(id);
    this.#waiting.delete(id);
    return open !== undefined && !open.isSent;
  }

  /** Writes all of them, or those of one environment, without a regard for their age. */
  async write(environmentId?: EnvironmentId): Promise<void> {
    const wanted = ({ environmentId: own }: Open) =>
      environmentId === undefined || own === environmentId;
    await this.#writing;
    await this.#writeThose(wanted);
  }

  #writeLater(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    const write = async () => {
      const before = performance.now() - WRITTEN_AFTER_MS;
      await this.#writeThose(({ begunAt }) => begunAt <= before);
      this.#timer = undefined;
      this.#writeLater();
    };
    this.#timer = setTimeout(() => void write(), WRITTEN_AFTER_MS / 2).unref();
  }

  async #writeThose(isWanted: (operation: Open) => boolean): Promise<void> {
    this.#writing = this.#writeAll(isWanted);
    await this.#writing;
  }

  async #writeAll(isWanted: (operation: Open) => boolean): Promise<void> {
    const db = this.#options.findDb();
    const { distributed } = this.#options;
    const wanted = [...this.#waiting].filter(
      ([, open]) => isWanted(open) && !distributed.isPassedOver(open.environmentId),
    );
    if (db === undefined) return;
    for (let from = 0; from < wanted.length; from += ROWS_AT_ONCE) {
      // One that has ended meanwhile is written with its end.
      const rows = wanted
        .slice(from, from + ROWS_AT_ONCE)
        .filter(([id, open]) => this.#waiting.get(id) === open);
      for (const [, open] of rows) open.isSent = true;
      if (rows.length > 0 && !(await this.#insert(db, rows))) return;
    }
  }

  /** What could not be written waits on, to be written again or with its end. */
  async #insert(db: Db, rows: readonly (readonly [OperationId, Open])[]): Promise<boolean> {
    let waiting: ReadonlySet<Open>;
    try {
      waiting = new Set(
        await this.#write(
          db,
          rows.map(([, open]) => open),
        ),
      );
    } catch (error) {
      this.#options.log.warn("logs.write_failed", { rows: rows.length, reason: reasonOf(error) });
      return false;
    }
    for (const [id, open] of rows) {
      if (this.#waiting.get(id) === open && !waiting.has(open)) this.#waiting.delete(id);
    }
    return true;
  }

  /** Resolves to those that wait for a server of a cluster. */
  async #write(db: Db, rows: readonly Open[]): Promise<readonly Open[]> {
    return await this.#options.distributed.write(db, rows, insertAll);
  }
}

async function insertAll(db: Db, rows: readonly Open[]): Promise<void> {
  await insertOperations(
    db,
    rows.map(({ json }) => json),
  );
}
