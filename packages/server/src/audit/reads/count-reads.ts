import { type EnvironmentContext, MINUTE, type SystemContext, serverState } from "#foundation";
import { CountBuffer } from "#foundation/db";
import { addReads, type ReadCount } from "./store.ts";

/** In place of a connection: of those that were not counted one by one. */
export const MANY = "00000000-0000-0000-0000-000000000000";

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<ReadCount>({
      log,
      keyOf: ({ keyId, connectionUuid, minuteMs }) => `${keyId} ${connectionUuid} ${minuteMs}`,
      add(known, count) {
        known.reads += count.reads;
        return known;
      },
      restOf: (count) => ({ ...count, connectionUuid: MANY }),
      write: addReads,
      delayed: "audit.reads_delayed",
    }),
);

/** Counts that a key has read the credentials of a connection; nothing is written yet, and others are not counted. */
export function countCredentialRead(ctx: EnvironmentContext, connectionUuid: string): void {
  if (ctx.actor.kind !== "key") return;
  const { keyId, accountId } = ctx.actor;
  const minuteMs = Math.floor(ctx.clock.now().getTime() / MINUTE) * MINUTE;
  const { id: environmentId } = ctx.environment;
  const count = { accountId, environmentId, keyId, connectionUuid, minuteMs, reads: 1 };
  counter.of(ctx).add(ctx.db, count);
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushCredentialReads(
  ctx: Pick<SystemContext, "state" | "db" | "log">,
): Promise<void> {
  await counter.of(ctx).flush();
}
