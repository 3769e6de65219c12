import type { SystemContext } from "../context.ts";
import { withinPatience } from "../db/index.ts";
import { serverState } from "../server-state.ts";
import { type Bounds, CacheStore } from "./cache-store.ts";

type CacheContext = Pick<SystemContext, "db" | "state">;

/** What was found, and the rows it was made from: `<table> <id>`, as their triggers announce them. */
export interface Found<Value> {
  readonly value: Value;
  readonly rows: readonly string[];
  /** What it takes of the cache's `maxWeight`. */
  readonly weight?: number;
}

export interface Cache<Value> {
  /** The cached value of `name`, else what `load` finds; a miss is not cached. */
  find(
    ctx: CacheContext,
    name: string,
    load: () => Promise<Found<Value> | undefined>,
  ): Promise<Value | undefined>;
  /** The cached value; never reads the database. */
  getIfCached(ctx: CacheContext, name: string): Value | undefined;
}

/** Name under which the triggers of cached tables announce the rows that change. */
export const CHANGES = "changed";

/** Undefined while nothing may be cached: nobody hears of changes. */
const stores = serverState<CacheStore | undefined>(() => undefined);

/** Turns on the caches of this server, until disposed. */
export function openCaches({
  state,
  notices,
}: Pick<SystemContext, "state" | "notices">): Disposable {
  const store = new CacheStore(() => notices.heardUntil);
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
export async function catchUpCaches({
  state,
  notices,
}: Pick<SystemContext, "state" | "notices">): Promise<void> {
  const store = stores.find({ state });
  if (store === undefined) return;
  const hasCaughtUp = await withinPatience(notices.catchUp()).catch(() => false);
  if (!hasCaughtUp) store.forget(undefined);
}

/** A cache for a hot path; of more than fits its bounds the least recently used go first. */
export function defineCache<Value>(bounds: Bounds): Cache<Value> {
  const id = Symbol("cache");
  return {
    async find(ctx, name, load) {
      const store = ctx.db.isTransaction ? undefined : stores.find(ctx);
      if (store === undefined) return (await load())?.value;
      const entries = store.entriesOf(id, bounds);
      const known = entries.get(name);
      if (known !== undefined) return asValue(known.value);
      const seen = store.changes;
      const loadedAt = performance.now();
      const found = await load();
      // A change that was announced meanwhile may be missing in what was read.
      if (found !== undefined && store.changes === seen) entries.set(name, { ...found, loadedAt });
      return found?.value;
    },
    getIfCached(ctx, name) {
      const known = stores.find(ctx)?.entriesOf(id, bounds).get(name);
      return known === undefined ? undefined : asValue(known.value);
    },
  };

  // Only this cache writes entries under its id.
  function asValue(value: unknown): Value {
    return value as Value;
  }
}
