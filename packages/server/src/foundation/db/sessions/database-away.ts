import { AppError } from "../../errors.ts";

/** Error codes of the system for a server that cannot be reached, or has left. */
const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  // The socket file of a server that is down.
  "ENOENT",
]);

/** SQLSTATE (PostgreSQL manual, appendix A): the statement did not begin. */
const refusals: ReadonlySet<string> = new Set([
  // cannot_connect_now: it starts, stops or recovers.
  "57P03",
  // too_many_connections
  "53300",
  // read_only_sql_transaction: a standby, after a switchover.
  "25006",
]);

/** admin_shutdown, crash_shutdown, idle_session_timeout: the session ended, perhaps with the statement's work done. */
const endings: ReadonlySet<string> = new Set(["57P01", "57P02", "57P05"]);

/** Texts of pg and its pool, which give these errors no code. */
const neverSent =
  /is not queryable|timeout exceeded when trying to connect|timeout expired|due to connection timeout/;
const connectionLost = /^Connection terminated/;

export interface AwayOptions {
  /** The statement certainly did not run: it was never sent, or refused before it began. */
  readonly didNotRun: boolean;
  readonly cause?: unknown;
}

/** The database cannot be reached, or left before it answered: 503 overloaded. The cause says more to the operator. */
export class DatabaseAway extends AppError {
  override name = "DatabaseAway";
  readonly didNotRun: boolean;

  constructor({ didNotRun, cause }: AwayOptions, message = AWAY) {
    super("overloaded", message, { headers: { "Retry-After": "2" }, cause });
    this.didNotRun = didNotRun;
  }
}

const AWAY = "The database cannot be reached at the moment; try again shortly.";

/** A statement was not answered in time: the database is silent, or has more to do than it can. */
export class DatabaseSilent extends DatabaseAway {
  override name = "DatabaseSilent";

  constructor(why: string) {
    const cause = new Error(why);
    super({ didNotRun: false, cause }, "The database did not answer in time; try again shortly.");
  }
}

/** No connection became free in time: the database is slow, or the environment has all that it may have. */
export class NoConnection extends DatabaseAway {
  override name = "NoConnection";

  constructor() {
    super({ didNotRun: true }, "The server is busy: no connection to its database became free.");
  }
}

/**
 * A worker of a Citus cluster cannot be reached: what lies there, and nothing else. The session with the coordinator
 * continues.
 */
export class WorkerAway extends DatabaseAway {
  override name = "WorkerAway";
  /** The connection to the coordinator can be used again. */
  readonly keepsSession: boolean;

  constructor(cause: unknown, { keepsSession = true, message = WORKER_AWAY } = {}) {
    super({ didNotRun: false, cause }, message);
    this.keepsSession = keepsSession;
  }
}

/**
 * A statement with a time-out was not answered: it was cancelled, or, where not even the cancel was answered, its
 * connection was closed.
 */
export class WorkerSilent extends WorkerAway {
  override name = "WorkerSilent";

  constructor(cause: unknown, { keepsSession = true } = {}) {
    super(cause, { keepsSession, message: WORKER_SILENT });
  }
}

const WORKER_AWAY =
  "The database server that holds these data cannot be reached at the moment; try again shortly.";

const WORKER_SILENT =
  "The database server that holds these data did not answer in time; try again shortly.";

/** What an error of pg means: undefined where the database is there and refuses the statement for what it is. */
export function toDatabaseAway(
  error: unknown,
  { isConnecting }: { isConnecting: boolean },
): DatabaseAway | undefined {
  if (error instanceof DatabaseAway) return error;
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (code !== undefined && isOfWorker(error, code)) return new WorkerAway(error);
  const isRefused = neverSent.test(error.message) || (code !== undefined && refusals.has(code));
  const isLost = connectionLost.test(error.message) || (code !== undefined && isEnding(code));
  if (!isRefused && !isLost) return undefined;
  return new DatabaseAway({ didNotRun: isRefused || isConnecting, cause: error });
}

/** The one that an error was caused by. */
export function findDatabaseAway(thrown: unknown): DatabaseAway | undefined {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if (error instanceof DatabaseAway) return error;
    error = error.cause;
  }
  return undefined;
}

/**
 * The coordinator passes on why it did not reach a worker, or how the worker ended, as the error of a statement
 * (connection_failure, mostly). What ends the session itself is fatal.
 */
function isOfWorker(error: Error, code: string): boolean {
  if (!("severity" in error) || error.severity !== "ERROR") return false;
  return isConnectionException(code) || endings.has(code) || ofWorkers.has(code);
}

/** cannot_connect_now, too_many_connections: of a session of ours they are fatal. */
const ofWorkers: ReadonlySet<string> = new Set(["57P03", "53300"]);

function isEnding(code: string): boolean {
  return isConnectionException(code) || endings.has(code) || networkCodes.has(code);
}

function isConnectionException(code: string): boolean {
  return code.startsWith("08") && code.length === 5;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
