import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "#config";
import { type Clock, type Logger, reasonOf, SECOND, type Secret, within } from "#foundation";
import {
  type Database,
  type Db,
  isPooler,
  listPendingMigrations,
  migrate,
  openDatabase,
} from "#foundation/db";
import { ensureDays } from "#foundation/db/day-partitions";
import { requireRestored } from "#foundation/db/transfer";
import { type LogServer, logTables } from "#logs";

/** A start continues without the log after that. */
const START_PATIENCE_MS = 10 * SECOND;
const RETRY_AFTER_MS = 2 * SECOND;
/** Of the connections to the first database; a writer takes two. */
const CONNECTION_SHARE = 0.5;

export interface OpeningOptions {
  readonly config: Config;
  readonly url: Secret<string>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The database that SVC_LOGS_DATABASE_URL names, with its schema. Where it is away, or its schema is behind, it is
 * tried until it is not: nothing but the log waits for that.
 */
export async function openLogServer(options: OpeningOptions): Promise<LogServer & AsyncDisposable> {
  const server = new OpeningLogServer(options);
  await within(START_PATIENCE_MS, server.opened);
  return server;
}

class OpeningLogServer implements LogServer, AsyncDisposable {
  readonly opened: Promise<void>;
  readonly #options: OpeningOptions;
  readonly #stopping = new AbortController();
  #database: Database | undefined;

  constructor(options: OpeningOptions) {
    this.#options = options;
    this.opened = this.#openUntilStopped();
  }

  get db(): Db | undefined {
    return this.#database?.db;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    // One that hangs ends with the process.
    await within(SECOND, this.opened);
    await this.#database?.[Symbol.asyncDispose]();
  }

  async #openUntilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    const { log } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#open(signal);
        return;
      } catch (error) {
        log.warn("logs.server_away", { reason: reasonOf(error) });
        await sleep(RETRY_AFTER_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { config, clock, log } = this.#options;
    const connectionString = this.#options.url.reveal();
    // It waits ten seconds at most, and so finds out whether anybody is there.
    const isPooled = await isPooler(connectionString);
    await requireRestored(connectionString);
    if (config.migrate === "auto") await migrate(connectionString, undefined, signal);
    else if ((await listPendingMigrations(connectionString)).length > 0) {
      throw new Error("its schema is behind: run `jackfield migrate`");
    }
    const database = openDatabase({
      connectionString,
      maxConnections: Math.max(2, Math.ceil(config.databaseConnections * CONNECTION_SHARE)),
      environmentShare: config.environmentShare,
      pooled: config.databasePooled === true || isPooled,
      onError: (error) => log.warn("logs.connection_lost", { message: reasonOf(error) }),
    });
    try {
      await ensureDays({ db: database.db, clock, log }, logTables);
      signal.throwIfAborted();
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
    this.#database = database;
    log.info("logs.server_ready");
  }
}
