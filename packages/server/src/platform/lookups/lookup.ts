import type { InstallationContext } from "../context.ts";
import { withinPatience } from "../db/index.ts";
import { serverState } from "../server-state.ts";
import { LookupStore } from "./lookup-store.ts";

type LookupContext = Pick<InstallationContext, "db" | "state">;

/** What was found, and the rows it was made from: `<table> <id>`, as their triggers announce them. */
export interface Found<Value> {
  readonly value: Value;
  readonly rows: readonly string[];
}

export interface Lookup<Value> {
  /** What is remembered under `name`, else what `load` finds; what is not found is not remembered. */
  find(
    ctx: LookupContext,
    name: string,
    load: () => Promise<Found<Value> | undefined>,
  ): Promise<Value | undefined>;
  /** What is remembered, without waiting for anything. */
  peek(ctx: LookupContext, name: string): Value | undefined;
}

/** Name under which the triggers of looked-up tables announce the rows that change. */
export const CHANGES = "changed";

/** Undefined while nothing may be remembered: nobody hears of changes. */
const stores = serverState<LookupStore | undefined>(() => undefined);

/** From here on look-ups of this server are remembered, until disposed. */
export function openLookups({
  state,
  notices,
}: Pick<InstallationContext, "state" | "notices">): Disposable {
  const store = new LookupStore(() => notices.heardUntil);
  stores.set({ state }, store);
  const subscription = notices.subscribe(CHANGES, (row) => store.forget(row));
  return {
    [Symbol.dispose]: () => {
      subscription[Symbol.dispose]();
      stores.set({ state }, undefined);
    },
  };
}

/** After it, this server sees what its caller has committed: a key deleted by one request fails in the next. */
export async function catchUpLookups({
  state,
  notices,
}: Pick<InstallationContext, "state" | "notices">): Promise<void> {
  const store = stores.peek({ state });
  if (store === undefined) return;
  const hasCaughtUp = await withinPatience(notices.catchUp()).catch(() => false);
  if (!hasCaughtUp) store.forget(undefined);
}

/** A look-up of a hot path; `maxEntries` of it are remembered, the least recently used go first. */
export function defineLookup<Value>({ maxEntries }: { maxEntries: number }): Lookup<Value> {
  const id = Symbol("lookup");
  return {
    async find(ctx, name, load) {
      const store = ctx.db.isTransaction ? undefined : stores.peek(ctx);
      if (store === undefined) return (await load())?.value;
      const shelf = store.shelf(id, maxEntries);
      const known = shelf.get(name);
      if (known !== undefined) return asValue(known.value);
      const seen = store.changes;
      const loadedAt = performance.now();
      const found = await load();
      // A change that was announced meanwhile may be missing in what was read.
      if (found !== undefined && store.changes === seen) shelf.set(name, { ...found, loadedAt });
      return found?.value;
    },
    peek(ctx, name) {
      const known = stores.peek(ctx)?.shelf(id, maxEntries).get(name);
      return known === undefined ? undefined : asValue(known.value);
    },
  };

  // A shelf belongs to one look-up, which puts nothing else on it.
  function asValue(value: unknown): Value {
    return value as Value;
  }
}
