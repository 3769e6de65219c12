import {
  apply,
  defineProperty,
  deleteProperty,
  get,
  getOwnPropertyDescriptor,
  isObject,
} from "./kept.ts";

/**
 * What keeps something, or continues, without a property or a resource that shows it. A process in which a function has
 * used one of these is replaced before it serves another connection. By root, then path.
 */
const unseen: Readonly<Record<string, readonly string[]>> = {
  globalThis: [
    "Atomics.waitAsync",
    "URL.createObjectURL",
    "WebAssembly.compile",
    "WebAssembly.instantiate",
    "WebAssembly.compileStreaming",
    "WebAssembly.instantiateStreaming",
  ],
  PerformanceObserver: ["prototype.observe"],
  crypto: ["setEngine", "setFips"],
  stream: ["setDefaultHighWaterMark"],
  util: ["setTraceSigInt"],
};

const { allocUnsafe } = Buffer;
const { exec } = RegExp.prototype;
const { FinalizationRegistry: Registry } = globalThis;
const anything = /^/;

/** State that neither properties nor resources show: put back where that can be done, else noticed when it is used. */
export class HiddenState {
  #isUsed = false;
  #generation = 0;
  #clearPerformance: () => void = () => {};

  constructor() {
    this.guard("globalThis", globalThis);
    this.#guardRegistries();
  }

  /** Whether a function has used what cannot be put back. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Notices from now on what is used of a root. */
  guard(name: string, root: unknown): void {
    const paths = unseen[name] ?? [];
    for (let at = 0; at < paths.length; at += 1) this.#guardPath(root, paths[at] ?? "");
    if (name === "performance" && isObject(root)) this.#clearPerformance = toClear(root);
    // Held by nobody and for ever; functions have locks of the server.
    if (name === "Navigator") deleteProperty(Object(get(Object(root), "prototype")), "locks");
  }

  /** From here on, nothing of what was is seen. */
  reset(): void {
    this.#generation += 1;
    this.#clearPerformance();
    // The text that was matched last is on the constructor.
    apply(exec, anything, [""]);
    renewBufferPool();
  }

  #guardPath(root: unknown, path: string): void {
    const steps = path.split(".");
    const name = steps.pop() ?? "";
    let holder: unknown = root;
    for (const step of steps) holder = isObject(holder) ? get(holder, step) : undefined;
    if (!isObject(holder)) return;
    const descriptor = getOwnPropertyDescriptor(holder, name);
    const original: unknown = descriptor?.value;
    if (descriptor === undefined || typeof original !== "function") return;
    const notice = () => {
      this.#isUsed = true;
    };
    const value = {
      [name](this: unknown, ...args: unknown[]): unknown {
        notice();
        return apply(original, this, args);
      },
    }[name];
    defineProperty(holder, name, { ...descriptor, value });
  }

  /** A registry calls back whenever memory is collected: in the time of another connection it must not. */
  #guardRegistries(): void {
    const current = () => this.#generation;
    class GuardedRegistry<Held> extends Registry<Held> {
      constructor(cleanup: (held: Held) => void) {
        const made = current();
        super((held) => {
          if (made === current()) cleanup(held);
        });
      }
    }
    defineProperty(GuardedRegistry, "name", { value: "FinalizationRegistry", configurable: true });
    defineProperty(globalThis, "FinalizationRegistry", {
      value: GuardedRegistry,
      configurable: true,
      enumerable: false,
      writable: true,
    });
  }
}

function toClear(performance: object): () => void {
  const names = ["clearMarks", "clearMeasures", "clearResourceTimings"];
  const methods = names.map((name) => get(performance, name));
  return () => {
    for (let at = 0; at < methods.length; at += 1) {
      const method = methods[at];
      if (typeof method === "function") apply(method, performance, []);
    }
  };
}

/** Small buffers share one piece of memory, which any of them shows as its `buffer`: the next ones get a new piece. */
function renewBufferPool(): void {
  const size = (Buffer.poolSize >>> 1) - 1;
  for (let n = 0; n < 3; n += 1) apply(allocUnsafe, Buffer, [size]);
}
