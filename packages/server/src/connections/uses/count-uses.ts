import { countCredentialRead } from "#audit";
import {
  type Actor,
  DAY,
  type EnvironmentContext,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer } from "#foundation/db";
import { addUses, type UseCount } from "./store.ts";

/** Of one environment, so that no tenant takes the room of all. */
const MOST_WAITING = 5000;

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<UseCount>({
      log,
      keyOf: ({ connectionUuid, day, kind, name, way }) =>
        `${connectionUuid} ${day} ${kind} ${way} ${name}`,
      add(known, count) {
        known.uses += count.uses;
        known.lastMs = count.lastMs;
        return known;
      },
      // In place of a name: those of whom there was no room to count each.
      restOf: (count) => ({ ...count, name: "" }),
      group: { of: ({ environmentId }) => environmentId, mostWaiting: MOST_WAITING },
      write: addUses,
      delayed: "connections.uses_delayed",
    }),
);

/** Counts that the caller has used the credentials of a connection; nothing is written yet. */
export function countUse(
  ctx: EnvironmentContext,
  connectionUuid: string,
  way: UseCount["way"],
): void {
  const user = userOf(ctx.actor);
  if (user === undefined) return;
  const atMs = ctx.clock.now().getTime();
  const { id: environmentId } = ctx.environment;
  const { kind, name } = user;
  const when = { day: Math.floor(atMs / DAY), firstMs: atMs, lastMs: atMs };
  counter.of(ctx).add(ctx.db, {
    ...when,
    ...{ environmentId, connectionUuid, kind, name, way, uses: 1 },
  });
}

/** Counts that the caller has been given the credentials. */
export function countRead(ctx: EnvironmentContext, connectionUuid: string): void {
  countCredentialRead(ctx, connectionUuid);
  countUse(ctx, connectionUuid, "read");
}

/** What the server does by itself is no use. */
function userOf(actor: Actor): Pick<UseCount, "kind" | "name"> | undefined {
  switch (actor.kind) {
    case "key":
      return { kind: "key", name: actor.keyId };
    case "user":
      return { kind: "user", name: actor.userId };
    case "agent":
      return { kind: "agent", name: actor.sessionId };
    case "function":
      return { kind: "function", name: actor.functionName ?? "" };
    case "session":
    case "system":
      return undefined;
  }
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushUses(ctx: Pick<SystemContext, "state" | "db" | "log">): Promise<void> {
  await counter.of(ctx).flush();
}
