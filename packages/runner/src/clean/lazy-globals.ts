import type { Baseline } from "./baseline.ts";
import type { HiddenState } from "./hidden-state.ts";
import { get } from "./kept.ts";

interface LazyGroup {
  readonly names: readonly string[];
  /** In the text of a bundle that makes use of the group, by itself or through what the runner does for it. */
  readonly mention: RegExp;
  /** Of Node's own modules, the one that loading the group brings in. */
  readonly module: string;
}

/**
 * Globals that Node loads at first use, which takes from 2 to 150 ms: a process takes them into its baseline only when
 * the text of its bundle speaks of them.
 */
const groups: readonly LazyGroup[] = [
  {
    names: [
      "FormData",
      "Headers",
      "Request",
      "Response",
      "MessageEvent",
      "CloseEvent",
      "ErrorEvent",
    ],
    mention:
      /\b(?:uncontrolledF|f)etch\b|\b(?:FormData|Headers|Request|Response|(?:Message|Close|Error)Event)\b/,
    module: "NativeModule internal/deps/undici/undici",
  },
  {
    names: [
      ...["TransformStream", "TransformStreamDefaultController", "WritableStream"],
      ...["WritableStreamDefaultController", "WritableStreamDefaultWriter", "ReadableStream"],
      ...["ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "ReadableStreamBYOBRequest"],
      ...["ReadableByteStreamController", "ReadableStreamDefaultController"],
      ...["ByteLengthQueuingStrategy", "CountQueuingStrategy", "TextEncoderStream"],
      ...["TextDecoderStream", "CompressionStream", "DecompressionStream"],
    ],
    // An answer of fetch and a request of type `stream` hand one out.
    mention: /Stream|QueuingStrategy|\bstream\b|etch\b|\b(?:Response|Request|Blob)\b/,
    module: "NativeModule internal/webstreams/readablestream",
  },
  {
    names: [
      ...[
        "performance",
        "Performance",
        "PerformanceEntry",
        "PerformanceMark",
        "PerformanceMeasure",
      ],
      ...["PerformanceObserver", "PerformanceObserverEntryList", "PerformanceResourceTiming"],
    ],
    mention: /\bperformance\b|\bPerformance[A-Z]?/,
    module: "NativeModule internal/perf/usertiming",
  },
  {
    names: ["crypto", "Crypto", "CryptoKey", "SubtleCrypto"],
    mention: /\bcrypto\b|\bCrypto|\bSubtleCrypto\b/,
    module: "NativeModule internal/crypto/webcrypto",
  },
  {
    names: ["BroadcastChannel", "MessageChannel", "MessagePort"],
    mention:
      /BroadcastChannel|MessageChannel|MessagePort|etch\b|\b(?:Response|Request|FormData|Headers)\b/,
    module: "NativeModule internal/worker/io",
  },
  { names: ["File"], mention: /\bFile\b|etch\b/, module: "NativeModule internal/file" },
  {
    names: ["navigator", "Navigator"],
    mention: /\b[nN]avigator\b/,
    module: "NativeModule internal/navigator",
  },
];

/** The globals that Node loads at first use, and whether they are in the baseline. */
export class LazyGlobals {
  readonly names: readonly string[] = groups.flatMap((group) => group.names);
  readonly #modules: readonly string[];
  readonly #taken: boolean[] = groups.map(() => false);

  /** `modules` are those that Node has loaded; it adds to them. */
  constructor(modules: readonly string[]) {
    this.#modules = modules;
  }

  /** Before the bundle, or what it gets from the runner, runs for the first time. */
  take(code: string, baseline: Baseline, hidden: HiddenState): void {
    groups.forEach((group, at) => {
      if (this.#taken[at] === false && group.mention.test(code)) this.#take(at, baseline, hidden);
    });
    this.takeLoaded(baseline, hidden);
  }

  /** Those that Node has loaded together with something else that a function is about to get. */
  takeLoaded(baseline: Baseline, hidden: HiddenState): void {
    for (let at = 0; at < groups.length; at += 1) {
      if (this.#isUnseen(at)) this.#take(at, baseline, hidden);
    }
  }

  /** Whether one came into use although the bundle's text does not speak of it. */
  hasUnseen(): boolean {
    for (let at = 0; at < groups.length; at += 1) if (this.#isUnseen(at)) return true;
    return false;
  }

  #take(at: number, baseline: Baseline, hidden: HiddenState): void {
    const { names } = groups[at] ?? { names: [] };
    this.#taken[at] = true;
    for (let n = 0; n < names.length; n += 1) {
      const name = names[n] ?? "";
      const value = get(globalThis, name);
      hidden.guard(name, value);
      if (name === "crypto") baseline.add(get(Object(value), "subtle"));
    }
    baseline.addProperties(globalThis, names);
  }

  #isUnseen(at: number): boolean {
    const group = groups[at];
    return group !== undefined && this.#taken[at] === false && this.#isLoaded(group.module);
  }

  #isLoaded(module: string): boolean {
    for (let at = 0; at < this.#modules.length; at += 1) {
      if (this.#modules[at] === module) return true;
    }
    return false;
  }
}
