/**
 * The text of this file is evaluated in a realm of its own, in which a script runs: it has JavaScript's globals and none
 * of Node's. Strings and numbers alone pass between the realms, so that nothing a script does to its prototypes
 * reaches the program around it.
 */

/** What the program around the realm does for it; never handed to the script. */
export interface Outside {
  /** Sends the next call. */
  readonly call: (
    integration: string,
    tool: string,
    account: string | undefined,
    input: string,
  ) => void;
  readonly done: (end: string) => void;
  readonly failed: (failure: string) => void;
}

export interface Inside {
  /** `input` is JSON text; the seed has 32 hexadecimal digits. */
  readonly start: (body: unknown, input: string, seed: string, startedAtMs: number) => void;
  /** The answer of a call, as JSON text: its output, or its failure. */
  readonly deliver: (index: number, isFailure: boolean, json: string, atMs: number) => void;
  /** Nothing is under way any more: what has not ended by now never will. */
  readonly settle: () => void;
}

interface Limits {
  readonly calls: number;
  readonly callsAtOnce: number;
  readonly inputBytes: number;
  readonly logCharacters: number;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Asked = Pending & {
  readonly integration: string;
  readonly tool: string;
  readonly account: string | undefined;
  readonly input: string;
};

const LONGEST_MESSAGE = 1000;
/** Globals that keep a script waiting, hold what the clock of the machine says, or are of no use to it. */
const removed = [
  "Atomics",
  "FinalizationRegistry",
  "SharedArrayBuffer",
  "Temporal",
  "WeakRef",
  "WebAssembly",
];

export function setUp(outside: Outside, limits: Limits): Inside {
  // Kept from the start, for a script may put others in their place: it then fails alone.
  const { stringify, parse } = JSON;
  const RealDate = Date;
  const pending: Record<number, Pending> = Object.create(null);
  const waiting: Asked[] = [];
  let sent = 0;
  let asked = 0;
  let underWay = 0;
  let now = 0;
  let log = "";
  let end: (() => void) | undefined;
  let random = () => 0;

  class ToolError extends Error {
    override readonly name = "ToolError";
  }

  function write(values: readonly unknown[]): void {
    if (log.length >= limits.logCharacters) return;
    const line = values.map(show).join(" ");
    log = `${log}${log === "" ? "" : "\n"}${line}`.slice(0, limits.logCharacters);
  }

  function show(value: unknown): string {
    if (typeof value === "string") return value;
    if (isError(value)) return `${value.name}: ${value.message}`;
    try {
      return stringify(value) ?? String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  }

  /** As many calls as may be under way at once; the others wait here. */
  function sendNext(): void {
    while (underWay < limits.callsAtOnce) {
      const next = waiting.shift();
      if (next === undefined) return;
      pending[sent] = next;
      sent += 1;
      underWay += 1;
      outside.call(next.integration, next.tool, next.account, next.input);
    }
  }

  function call(integration: string, tool: string, input: unknown, options: unknown) {
    return new Promise((resolve, reject) => {
      const text = stringify(input ?? {});
      if (text === undefined || text.length > limits.inputBytes) {
        throw new TypeError(`The input of ${integration}.${tool} is no JSON, or too long.`);
      }
      if (asked >= limits.calls) throw new Error(`A script makes at most ${limits.calls} calls.`);
      const account: unknown = Object(options).account;
      if (account !== undefined && typeof account !== "string") {
        throw new TypeError("`account` has to be a text.");
      }
      asked += 1;
      waiting.push({ integration, tool, account, input: text, resolve, reject });
      try {
        sendNext();
      } catch {
        // An error of the other realm stays there.
        throw new RangeError(`${integration}.${tool} could not be called.`);
      }
    });
  }

  function toolsOf(integration: string) {
    return new Proxy(Object.freeze(Object.create(null)), {
      get: (_target, name) =>
        typeof name === "symbol" || name === "then"
          ? undefined
          : (input: unknown, options: unknown) => call(integration, name, input, options),
    });
  }

  function failureOf(error: unknown): string {
    const fields = Object(error);
    const isOfTool = error instanceof ToolError;
    const message = String(isOfTool ? error.message : show(error)).slice(0, LONGEST_MESSAGE);
    const at = isError(error) ? /script\.ts:(\d+):(\d+)/.exec(String(error.stack)) : null;
    return stringify({
      message,
      ...(at === null ? {} : { line: Number(at[1]), column: Number(at[2]) }),
      ...(isOfTool ? { tool_error: String(fields.code).slice(0, 100) } : {}),
      log,
    });
  }

  function fail(error: unknown): void {
    try {
      outside.failed(failureOf(error));
    } catch {
      outside.failed(stringify({ message: "The script threw what cannot be read.", log: "" }));
    }
  }

  function finish(value: unknown): void {
    try {
      outside.done(`{"value":${stringify(value) ?? "null"},"log":${stringify(log)}}`);
    } catch (error) {
      fail(
        new TypeError(
          `What the script returns cannot be written as JSON: ${String(Object(error).message)}`,
        ),
      );
    }
  }

  function ScriptDate(this: unknown, ...given: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now).toString();
    return Reflect.construct(RealDate, given.length === 0 ? [now] : given, new.target);
  }

  function replaceClock(): void {
    ScriptDate.prototype = RealDate.prototype;
    Object.defineProperty(RealDate.prototype, "constructor", { value: ScriptDate });
    Object.assign(ScriptDate, { parse: RealDate.parse, UTC: RealDate.UTC, now: () => now });
    Object.defineProperty(globalThis, "Date", { value: ScriptDate });
    const { prototype } = Intl.DateTimeFormat;
    const format = Object.getOwnPropertyDescriptor(prototype, "format")?.get;
    const { formatToParts } = prototype;
    Object.defineProperty(prototype, "format", {
      get() {
        const own = Reflect.apply(format ?? String, this, []);
        return (date: unknown) => own(date === undefined ? now : date);
      },
    });
    Object.defineProperty(prototype, "formatToParts", {
      value(date: unknown) {
        return Reflect.apply(formatToParts, this, [date === undefined ? now : date]);
      },
    });
  }

  for (const name of removed) Reflect.deleteProperty(globalThis, name);
  replaceClock();
  Object.defineProperty(Math, "random", { value: () => random() });
  const lines = { value: (...values: unknown[]) => write(values) };
  const console = Object.create(null, {
    ...{ debug: lines, error: lines, info: lines, log: lines, warn: lines },
  });
  Object.defineProperty(globalThis, "console", { value: console });

  return {
    start(body, inputText, seed, startedAtMs) {
      now = startedAtMs;
      random = randomFrom(seed);
      const tools = new Proxy(Object.freeze(Object.create(null)), {
        get: (_target, name) =>
          typeof name === "symbol" || name === "then" ? undefined : toolsOf(name),
      });
      const run = async () => Reflect.apply(Object(body), undefined, [tools, parse(inputText)]);
      run().then(
        (value) => {
          end = () => finish(value);
        },
        (error: unknown) => {
          end = () => fail(error);
        },
      );
    },
    deliver(index, isFailure, json, atMs) {
      const own = pending[index];
      if (own === undefined) return;
      delete pending[index];
      underWay -= 1;
      now = Math.max(now, atMs);
      const answer: unknown = parse(json);
      if (isFailure)
        own.reject(Object.assign(new ToolError(String(Object(answer).message)), answer));
      else own.resolve(answer);
      sendNext();
    },
    settle() {
      const stuck = () => fail(new Error("The script waits for something that never happens."));
      (end ?? stuck)();
    },
  };
}

/** Also of the other realm, where those of imports come from. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

/** sfc32: small, and good enough for what is no secret. */
function randomFrom(seed: string): () => number {
  const part = (at: number) => Number.parseInt(seed.slice(8 * at, 8 * at + 8), 16) | 0;
  let [a, b, c, d] = [part(0), part(1), part(2), part(3)];
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 2 ** 32;
  };
}
