import type { PlannedImpact } from "@jackfield/contract";
import { getWebhookTargets } from "#environments";
import { addMs, type EnvironmentContext } from "#foundation";
import { CONSUMERS_SHOWN_MS, flushConsumers } from "../consumers/count-consumer.ts";
import { type ConsumedName, type ConsumerRow, listConsumerRows } from "../consumers/store.ts";
import type { DeployedFunction } from "../deployed-function.ts";

const MOST_CONSUMERS = 20;

type Consumer = PlannedImpact["consumers"][number];

/** Who calls deployed functions, or reads what they write, by the id of the function; those with the most uses first. */
export async function listConsumers(
  ctx: EnvironmentContext,
  functions: readonly DeployedFunction[],
): Promise<ReadonlyMap<number, Consumer[]>> {
  await flushConsumers(ctx);
  const since = addMs(ctx.clock.now(), -CONSUMERS_SHOWN_MS);
  const wanted = new Map(functions.flatMap(namesOf).map((name) => [keyOf(name), name]));
  const rows = await listConsumerRows(ctx.db, ctx.environment.id, {
    ...{ names: [...wanted.values()], since, limit: MOST_CONSUMERS },
  });
  const byName = Map.groupBy(rows, keyOf);
  const receivers = await listReceivers(ctx);
  return new Map(
    functions.map((fn) => {
      const own = namesOf(fn).flatMap((name) => byName.get(keyOf(name)) ?? []);
      const consumers = joinRows(own).slice(0, MOST_CONSUMERS);
      return [fn.id, [...consumers, ...(fn.type === "sync" ? receivers : [])]];
    }),
  );
}

function namesOf(fn: DeployedFunction): ConsumedName[] {
  const { integrationId } = fn;
  if (fn.type === "action") return [{ integrationId, subject: "action", name: fn.name }];
  if (fn.type !== "sync") return [];
  return fn.definition.models.map((name) => ({ integrationId, subject: "model", name }));
}

function keyOf({ integrationId, subject, name }: ConsumedName): string {
  return `${integrationId} ${subject} ${name}`;
}

/** A reader of two models of a sync is one. */
function joinRows(rows: readonly ConsumerRow[]): Consumer[] {
  const joined = new Map<string, Consumer>();
  for (const { kind, consumer, calledNow, uses, lastAt } of rows) {
    const key = `${kind} ${consumer}`;
    const known = joined.get(key);
    const last = lastAt.toISOString();
    const isNamed = kind === "toolset" || kind === "function";
    joined.set(key, {
      kind,
      id: isNamed || consumer === "" ? null : consumer,
      name: isNamed ? consumer || null : calledNow,
      uses: uses + (known?.uses ?? 0),
      last_used_at:
        known?.last_used_at != null && known.last_used_at > last ? known.last_used_at : last,
    });
  }
  return [...joined.values()].toSorted((a, b) => (b.uses ?? 0) - (a.uses ?? 0));
}

/** Addresses that are notified of runs, without what may be secret in them. */
async function listReceivers(ctx: EnvironmentContext): Promise<Consumer[]> {
  const { urls } = await getWebhookTargets(ctx);
  return urls.map((url) => ({
    ...{ kind: "webhook" as const, id: null, name: new URL(url).origin },
    ...{ uses: null, last_used_at: null },
  }));
}
