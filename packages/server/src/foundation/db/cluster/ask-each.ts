import type { EnvironmentId } from "../../ids.ts";
import { WorkerSilent } from "../sessions/database-away.ts";
import { type Asked, silence, withinAnswer } from "./silence.ts";

/** Environments that are asked at the same time, each over a connection. */
const AT_ONCE = 4;

/** What became of the work for one environment. */
export interface Asking<Item, Result> {
  readonly environmentId: EnvironmentId;
  readonly item: Item;
  readonly outcome: PromiseSettledResult<Result>;
}

/**
 * Does work about rows of several environments, of each within its answer, a few at the same time. Those that are suspected
 * of silence come last, and only the few that have been silent for longest are asked; the others fail with `WorkerSilent`.
 */
export async function askEach<Ctx extends Asked, Item, Result>(
  ctx: Ctx,
  items: Iterable<readonly [EnvironmentId, Item]>,
  work: (ctx: Ctx, item: Item, environmentId: EnvironmentId) => Promise<Result>,
): Promise<Asking<Item, Result>[]> {
  const silent = silence.of(ctx);
  const order = silent.listSuspected(ctx.clock.now());
  const ranks = new Map(order.map((id, rank) => [id, rank]));
  const all = [...items];
  const isSuspected = ([id]: readonly [EnvironmentId, Item]) => ranks.has(id);
  const suspected = all
    .filter(isSuspected)
    .toSorted(([a], [b]) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  const asked: Asking<Item, Result>[] = [];
  const askAll = async (some: readonly (readonly [EnvironmentId, Item])[]): Promise<void> => {
    const left = some.values();
    const askNext = async (): Promise<void> => {
      for (const [environmentId, item] of left) {
        const working = withinAnswer(
          ctx,
          environmentId,
          async (ctx) => await work(ctx, item, environmentId),
        );
        const [outcome] = await Promise.allSettled([working]);
        asked.push({ environmentId, item, outcome });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  };
  await askAll(all.filter((each) => !isSuspected(each)));
  await askAll(suspected.slice(0, AT_ONCE));
  for (const [environmentId, item] of suspected.slice(AT_ONCE)) {
    const reason = new WorkerSilent(new Error("others that did not answer are asked first"));
    asked.push({ environmentId, item, outcome: { status: "rejected", reason } });
  }
  return asked;
}
