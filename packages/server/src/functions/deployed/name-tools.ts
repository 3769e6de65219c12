import type { ToolName } from "../store.ts";

// The longest name of a tool that language models take.
const LONGEST_NAME = 64;

/** Functions whose name another one has, too. */
export function listSharedNames(all: readonly ToolName[]): ToolName[] {
  const byName = Map.groupBy(all, ({ name }) => name);
  return all.filter(({ name }) => (byName.get(name)?.length ?? 0) > 1);
}

/**
 * A name for each function of an environment, by its id; none is given twice. A name that several share begins with
 * the key of the integration. The same functions, in the same order, get the same names.
 */
export function nameTools(
  all: readonly ToolName[],
  integrationKeys: ReadonlyMap<number, string>,
): Map<number, string> {
  const shared = new Set(listSharedNames(all));
  const own = all.filter((fn) => !shared.has(fn));
  const names = new Map(own.map(({ id, name }) => [id, name]));
  const taken = new Set(names.values());
  for (const { id, integrationId, name } of shared) {
    const key = integrationKeys.get(integrationId);
    const free = findFree(key === undefined ? name : `${key}_${name}`, taken);
    names.set(id, free);
    taken.add(free);
  }
  return names;
}

function findFree(wanted: string, taken: ReadonlySet<string>): string {
  const whole = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, LONGEST_NAME);
  let free = whole;
  for (let count = 2; taken.has(free); count += 1) {
    const end = `_${count}`;
    free = whole.slice(0, LONGEST_NAME - end.length) + end;
  }
  return free;
}
