import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { serverState } from "#foundation";
import { CountBuffer } from "#foundation/db";
import type { Arrival } from "./arrival.ts";
import { addArrivals } from "./store.ts";

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

/** Connections of one environment that wait; of the others the next webhook counts. */
export const MOST_CONNECTIONS = 5000;
const CONNECTIONS_AT_ONCE = 500;
/** Of one connection, in a few seconds. */
const MOST_NUMBERS = 200;

const buffers = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<Arrival>({
      log,
      keyOf: ({ environmentId, connection }) => `${environmentId} ${connection}`,
      add: (known, arrival) => ({
        ...known,
        received: known.received + arrival.received,
        duplicates: known.duplicates + arrival.duplicates,
        firstMs: Math.min(known.firstMs, arrival.firstMs),
        lastMs: Math.max(known.lastMs, arrival.lastMs),
        numbers: [...known.numbers, ...arrival.numbers].slice(0, MOST_NUMBERS),
      }),
      group: { of: ({ environmentId }) => environmentId, mostWaiting: MOST_CONNECTIONS },
      write: addArrivals,
      rowsAtOnce: CONNECTIONS_AT_ONCE,
      delayed: "inbox.arrivals_delayed",
    }),
);

/** Notes that a webhook came for a connection; nothing is written yet. */
export function noteArrival(
  ctx: EnvironmentContext,
  arrived: {
    readonly connection: ConnectionUuid;
    readonly receivedAt: Date;
    /** Events that had come before. */
    readonly duplicates: number;
    readonly numbers: readonly number[];
  },
): void {
  const { connection, receivedAt, duplicates, numbers } = arrived;
  const at = receivedAt.getTime();
  buffers.of(ctx).add(ctx.db, {
    ...{ environmentId: ctx.environment.id, connection, received: 1, duplicates },
    ...{ firstMs: at, lastMs: at, numbers },
  });
}

/** Writes what waits; called at shutdown, and before this process looks for silence or answers with it. */
export async function flushArrivals(ctx: Owner): Promise<void> {
  await buffers.of(ctx).flush();
}
