/** Who reaches the states of its server. */
interface Holder {
  readonly state: ServerStates;
}

/**
 * What each server has one of and keeps to itself: two in one process share nothing. `Needs` is what it is made of;
 * nothing that ends before the server does, such as a transaction, may be kept of it.
 */
export interface ServerState<Value, Needs extends object> {
  /** Made when it is first asked for, and disposed with the server where it can be. */
  of(ctx: Needs & Holder): Value;
  /** Undefined while nothing has asked for it. */
  find(ctx: Holder): Value | undefined;
  /** In place of what would be made; who sets it disposes it. */
  set(ctx: Holder, value: Value): void;
}

/** Declares a state; the server that a context belongs to owns its value. */
export function serverState<Value, Needs extends object = object>(
  make: (needs: Needs) => Value,
): ServerState<Value, Needs> {
  const key = Symbol("state");
  return {
    of(ctx) {
      const { state } = ctx;
      const known = state.get(key);
      if (known !== undefined) return asValue(known.value);
      const value = make(ctx);
      state.own(key, value);
      return value;
    },
    find({ state }) {
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

  own(key: symbol, value: unknown): void {
    this.put(key, value);
    if (isDisposable(value)) this.#owned.use(value);
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
