import { addMs, DAY, type EnvironmentContext, MINUTE } from "#foundation";
import { flushOwnLogs } from "../flush-logs.ts";
import { readLogs } from "../log-server.ts";
import { countOperationNames, type NamedPart } from "./store.ts";

export interface NameQuery {
  readonly of: NamedPart;
  readonly prefix?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
}

/** Names to filter operations by, of the last day unless a period is given. */
export async function listOperationNames(
  ctx: EnvironmentContext,
  { of, prefix = "", limit, ...period }: NameQuery,
): Promise<{ name: string; count: number }[]> {
  // A little ahead, since the clocks of several processes differ.
  const { to = addMs(ctx.clock.now(), MINUTE) } = period;
  const { from = addMs(to, -DAY) } = period;
  await flushOwnLogs(ctx);
  const wanted = { of, prefix, from, to, limit };
  return await readLogs(
    ctx,
    async (db) => await countOperationNames(db, ctx.environment.id, wanted),
  );
}
