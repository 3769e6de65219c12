import {
  type Actor,
  addMs,
  DAY,
  type EnvironmentContext,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer } from "#foundation/db";
import {
  addConsumers,
  type ConsumedName,
  type ConsumerCount,
  deleteConsumersBefore,
} from "./store.ts";

export const CONSUMERS_SHOWN_MS = 30 * DAY;
/** Of one environment, so that no tenant takes the room of all. */
const MOST_WAITING = 2000;

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<ConsumerCount>({
      log,
      keyOf: ({ environmentId, integrationId, subject, name, kind, consumer, day }) =>
        `${environmentId} ${integrationId} ${subject} ${name} ${kind} ${consumer} ${day}`,
      add: (known, count) => ({ ...known, uses: known.uses + count.uses, lastMs: count.lastMs }),
      restOf: (count) => ({ ...count, consumer: "" }),
      group: { of: ({ environmentId }) => environmentId, mostWaiting: MOST_WAITING },
      write: addConsumers,
      delayed: "functions.consumers_delayed",
    }),
);

/** Counts that the caller calls an action, or reads a model; nothing is written yet. */
export function countConsumer(ctx: EnvironmentContext, what: ConsumedName): void {
  const who = consumerOf(ctx.actor);
  if (who === undefined) return;
  const lastMs = ctx.clock.now().getTime();
  const day = Math.floor(lastMs / DAY);
  const environmentId = ctx.environment.id;
  counter.of(ctx).add(ctx.db, { environmentId, ...what, ...who, day, lastMs, uses: 1 });
}

/** What the server and end users do by themselves depends on no deployment. */
function consumerOf(actor: Actor): Pick<ConsumerCount, "kind" | "consumer"> | undefined {
  switch (actor.kind) {
    case "key":
      return { kind: "key", consumer: actor.keyId };
    case "user":
      return { kind: "user", consumer: actor.userId };
    case "agent":
      return { kind: "agent", consumer: actor.sessionId };
    case "function":
      return { kind: "function", consumer: actor.functionName ?? "" };
    case "session":
    case "system":
      return undefined;
  }
}

/** Writes what has been counted; called at shutdown, and before this process names consumers. */
export async function flushConsumers(
  ctx: Pick<SystemContext, "state" | "db" | "log">,
): Promise<void> {
  await counter.of(ctx).flush();
}

export async function deleteOldConsumers(ctx: SystemContext): Promise<void> {
  await deleteConsumersBefore(ctx.db, addMs(ctx.clock.now(), -CONSUMERS_SHOWN_MS));
}
