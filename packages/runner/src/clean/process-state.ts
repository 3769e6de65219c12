import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { UncleanReason } from "@jackfield/contract/runtime";
import { exposedObjects } from "@jackfield/functions/runtime";
import { Baseline } from "./baseline.ts";
import { HiddenState } from "./hidden-state.ts";
import { get } from "./kept.ts";
import { LazyGlobals } from "./lazy-globals.ts";
import { LiveResources } from "./live-resources.ts";

/**
 * What the runs of a process share next to their bundle's own variables. Between connections all of it is put back as
 * it was before the bundle was loaded; where that cannot be done the process has to be replaced.
 */
export class ProcessState {
  readonly #baseline = new Baseline();
  readonly #resources = new LiveResources();
  readonly #hidden: HiddenState;
  readonly #lazy: LazyGlobals;

  /** Once the process is closed, before it has any code of a function. */
  constructor(loadedModules: readonly string[]) {
    this.#lazy = new LazyGlobals(loadedModules);
    this.#hidden = new HiddenState();
    this.#baseline.add(globalThis, this.#lazy.names);
    this.#baseline.add(exposedObjects);
    this.#baseline.add([AsyncLocalStorage, AsyncResource]);
    this.#baseline.add(newSamples());
    this.#lazy.takeLoaded(this.#baseline, this.#hidden);
    this.#resources.watch();
  }

  /** A bundle that is compiled and has not run; `evaluate` is called for each new instance of it. */
  takeBundle(code: string, evaluate: object): void {
    this.#lazy.take(code, this.#baseline, this.#hidden);
    this.#baseline.add(evaluate);
  }

  /** A module of Node, before a function has it. */
  takeModule(name: string, module: unknown): void {
    this.#hidden.guard(name, module);
    this.#baseline.add(module);
    // Loaded at first use, behind a getter that no setter goes with.
    this.#baseline.add(get(Object(module), "promises"));
    this.#lazy.takeLoaded(this.#baseline, this.#hidden);
  }

  /** Answers with why the process cannot serve another connection, if so. */
  restore(): UncleanReason | undefined {
    if (this.#hidden.isUsed) return "feature";
    if (this.#lazy.hasUnseen()) return "global";
    if (!this.#resources.stop()) return "work";
    if (!this.#baseline.restore()) return "object";
    this.#hidden.reset();
    return undefined;
  }
}

/** One of each kind of object that no property leads to the prototype of. */
function newSamples(): readonly unknown[] {
  const timer = setTimeout(() => {}, 0);
  const immediate = setImmediate(() => {});
  clearTimeout(timer);
  clearImmediate(immediate);
  const prototypeOf = (value: unknown) => Object.getPrototypeOf(value);
  return [
    timer,
    immediate,
    [].values(),
    new Map().entries(),
    new Set().entries(),
    "".matchAll(/x/g),
    ""[Symbol.iterator](),
    [].values().map((value) => value),
    Iterator.from({ next: () => ({ done: true, value: 0 }) }),
    new URLSearchParams().entries(),
    async () => {},
    function* () {},
    async function* () {},
    new Uint8Array(0),
    new Intl.Segmenter().segment(""),
    new Intl.Segmenter().segment("")[Symbol.iterator](),
    new AbortController().signal,
  ].map(prototypeOf);
}
