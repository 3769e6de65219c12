import {
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer } from "#foundation/db";
import { addEgress, deleteEgressBefore, deleteEgressOf, type EgressCount } from "./store.ts";

/** How long sums of a day are kept. */
export const EGRESS_KEPT_DAYS = 30;
/** Stands for all hosts that have no row of their own. */
export const OTHER_HOSTS = "";
/** Rows of one environment that wait; what comes on top counts for its function, without the host. */
const MOST_WAITING = 2000;

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<EgressCount>({
      log,
      keyOf: ({ environmentId, functionId, day, connection, host }) =>
        `${environmentId} ${functionId} ${day} ${connection} ${host}`,
      add: (known, count) => ({
        ...count,
        calls: known.calls + count.calls,
        refused: known.refused + count.refused,
        sent: known.sent + count.sent,
        received: known.received + count.received,
      }),
      restOf: (count) => ({ ...count, host: OTHER_HOSTS }),
      group: { of: ({ environmentId }) => environmentId, mostWaiting: MOST_WAITING },
      write: addEgress,
      delayed: "functions.egress_counts_delayed",
    }),
);

/** Counts what a run sent to a host, or was refused to, on the day; nothing is written yet. */
export function countEgress(
  ctx: EnvironmentContext,
  counted: Omit<EgressCount, "environmentId" | "day" | "connection"> & {
    readonly connection: ConnectionUuid;
  },
): void {
  // A source text that is only tried is no function yet.
  if (counted.functionId === 0) return;
  const day = ctx.clock.now().toISOString().slice(0, 10);
  counter.of(ctx).add(ctx.db, { ...counted, environmentId: ctx.environment.id, day });
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushEgress(ctx: Owner): Promise<void> {
  await counter.of(ctx).flush();
}

export async function deleteOldEgress(ctx: SystemContext): Promise<void> {
  await deleteEgressBefore(ctx.db, addMs(ctx.clock.now(), -EGRESS_KEPT_DAYS * DAY));
}

/** What was counted for connections of an end user. */
export async function eraseEgress(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  await flushEgress(ctx);
  await deleteEgressOf(ctx.db, ctx.environment.id, connections);
}
