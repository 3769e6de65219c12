import { type EnvironmentContext, type SystemContext, serverState } from "#foundation";
import { commonDb, DatabaseAway, type Db, NoConnection, ownDb, readReplica } from "#foundation/db";

/** A database of the log's own. */
export interface LogServer {
  /** Undefined until it has been reached and its schema is there. */
  readonly db: Db | undefined;
}

/** Undefined where operations and messages are in the database of everything else. */
export const logServer = serverState<LogServer | undefined>(() => undefined);

const AWAY = "The log cannot be reached at the moment; try again shortly.";

/** The log of an environment, to change it; throws 503 overloaded while its server is away. */
export function getLogDb(ctx: EnvironmentContext): Db {
  const server = logServer.of(ctx);
  if (server === undefined) return ctx.db;
  if (server.db === undefined) throw new DatabaseAway({ didNotRun: true }, AWAY);
  return ownDb(server.db, ctx.environment.id);
}

/** The log of all environments; throws while its server is away. */
export function getWholeLog(ctx: Pick<SystemContext, "db" | "state">): Db {
  const server = logServer.of(ctx);
  if (server === undefined) return commonDb(ctx.db);
  if (server.db === undefined) throw new DatabaseAway({ didNotRun: true }, AWAY);
  return server.db;
}

/** Reads the log, on a replica where there are some; throws 503 overloaded while its server is away. */
export async function readLogs<Result>(
  ctx: EnvironmentContext,
  read: (db: Db) => Promise<Result>,
): Promise<Result> {
  if (logServer.of(ctx) === undefined) return await readReplica(ctx, read);
  return await namingLog(ctx, async () => await read(getLogDb(ctx)));
}

/** Where the log has a server of its own and that is away, the error says that it is the log. */
export async function namingLog<Result>(
  ctx: Pick<SystemContext, "state">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isAway = error instanceof DatabaseAway && !(error instanceof NoConnection);
    if (!isAway || logServer.of(ctx) === undefined) throw error;
    throw new DatabaseAway({ didNotRun: error.didNotRun, cause: error.cause }, AWAY);
  }
}
