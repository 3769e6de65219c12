import type { EnvironmentContext } from "#platform";
import { defineCache } from "#platform/cache";
import { listRuleRows } from "./store.ts";
import type { TapeRule } from "./tape-rule.ts";

const NONE: ReadonlyMap<number, TapeRule> = new Map();

const cached = defineCache<ReadonlyMap<number, TapeRule>>({ maxEntries: 10_000 });

/** The rules of the environment by function, for each run; what other processes change is seen within a second. */
export async function findTapeRule(
  ctx: EnvironmentContext,
  functionId: number,
): Promise<TapeRule | undefined> {
  const { id } = ctx.environment;
  const known = cached.getIfCached(ctx, id);
  if (known !== undefined) return known.get(functionId);
  const load = async () => {
    const rules = await listRuleRows(ctx.db, id, ctx.clock.now());
    return rules.length === 0 ? NONE : new Map(rules.map((rule) => [rule.functionId, rule]));
  };
  const found = await cached.find(ctx, id, async () => ({
    value: await load(),
    rows: [`tape_rules ${id}`],
  }));
  return (found ?? (await load())).get(functionId);
}
