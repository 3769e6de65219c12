import type { Clock } from "./clock.ts";
import type { Settings } from "./context.ts";
import type { Logger } from "./logger.ts";

/** What a state may be made of: nothing that ends before the server does, such as a transaction. */
interface Makings {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What each server has one of and keeps to itself: two in one process share nothing. */
export interface ServerState<Value> {
  /** Made when it is first asked for, and disposed with the server where it can be. */
  of(ctx: Makings & { readonly state: ServerStates }): Value;
  /** Undefined while nothing has asked for it. */
  peek(ctx: { readonly state: ServerStates }): Value | undefined;
  /** In place of what would be made; who sets it disposes it. */
  set(ctx: { readonly state: ServerStates }, value: Value): void;
}

/** Declares a state; the server that `ctx` belongs to owns its value. */
export function serverState<Value>(make: (makings: Makings) => Value): ServerState<Value> {
  const key = Symbol("state");
  return {
    of: (ctx) => {
      const { state } = ctx;
      const known = state.get(key);
      if (known !== undefined) return asValue(known.value);
      return asValue(state.own(key, make(ctx)).value);
    },
    peek: ({ state }) => {
      const known = state.get(key);
      return known === undefined ? undefined : asValue(known.value);
    },
    set: ({ state }, value) => state.put(key, value),
  };

  // Only this declaration knows the key.
  function asValue(value: unknown): Value {
    return value as Value;
  }
}

interface Held {
  readonly value: unknown;
}

/** The states of one server. Disposing it disposes them, the newest first. */
export class ServerStates implements AsyncDisposable {
  readonly #held = new Map<symbol, Held>();
  readonly #owned = new AsyncDisposableStack();

  get(key: symbol): Held | undefined {
    return this.#held.get(key);
  }

  put(key: symbol, value: unknown): void {
    this.#held.set(key, { value });
  }

  own(key: symbol, value: unknown): Held {
    const held = { value };
    this.#held.set(key, held);
    if (isDisposable(value)) this.#owned.use(value);
    return held;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
    this.#held.clear();
  }
}

function isDisposable(value: unknown): value is AsyncDisposable | Disposable {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncDispose in value || Symbol.dispose in value;
}
