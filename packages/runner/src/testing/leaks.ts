import type { UncleanReason } from "@jackfield/contract/runtime";

/** One way in which a run could leave something for the next; `look` gives what the next one sees of it. */
export interface Leak {
  readonly name: string;
  /** Text of the module outside of the function. */
  readonly module?: string;
  readonly leave: string;
  readonly look: string;
  /** What a process shows in which nothing was left; null unless given. */
  readonly untouched?: unknown;
  /** Why the process has to be replaced: what was left cannot be taken back. */
  readonly replacedFor?: UncleanReason;
}

const KEY = "key-of-one";

export const leaks: readonly Leak[] = [
  {
    name: "a variable of the module",
    module: "let variable: unknown = null;",
    leave: `variable = "${KEY}";`,
    look: "return variable;",
  },
  {
    name: "a Map of the module",
    module: "const map = new Map();",
    leave: `map.set("key", "${KEY}");`,
    look: "return map.get('key') ?? null;",
  },
  {
    name: "a static field of a class of the module",
    module: "class Client { static key: unknown = null; }",
    leave: `Client.key = "${KEY}";`,
    look: "return Client.key;",
  },
  {
    name: "a cached promise of the module",
    module: "let token: Promise<unknown> | null = null;",
    leave: `token = Promise.resolve("${KEY}");`,
    look: "return token === null ? null : await token;",
  },
  {
    name: "the svc object of an earlier run",
    module: "let before: any = null;",
    leave: "before = svc;",
    look: "return before === null ? null : before.connectionId;",
  },
  {
    name: "a global",
    leave: `(globalThis as any).key = "${KEY}";`,
    look: "return (globalThis as any).key ?? null;",
  },
  {
    name: "a global that cannot be deleted",
    leave: `Object.defineProperty(globalThis, "key", { value: "${KEY}" });`,
    look: "return (globalThis as any).key ?? null;",
    replacedFor: "object",
  },
  {
    name: "a symbol of the registry on globalThis",
    leave: `(globalThis as any)[Symbol.for("cache")] = "${KEY}";`,
    look: "return (globalThis as any)[Symbol.for('cache')] ?? null;",
  },
  {
    name: "a prototype of the language",
    leave: `(Object.prototype as any).key = "${KEY}";`,
    look: "return ({} as any).key ?? null;",
  },
  {
    name: "a replaced method of the language",
    leave:
      "const { map } = Array.prototype; Array.prototype.map = function (this: any, f: any) { return map.call(this, f).reverse(); } as any;",
    look: "return [1, 2].map((n) => n);",
    untouched: [1, 2],
  },
  {
    name: "the prototype of iterators",
    leave: `Object.getPrototypeOf([].values()).key = "${KEY}";`,
    look: "return (new Map() && ([].values() as any)).key ?? null;",
  },
  {
    name: "the prototype of an object",
    leave: `Object.setPrototypeOf(Math, { key: "${KEY}" });`,
    look: "return (Math as any).key ?? null;",
  },
  {
    name: "a frozen prototype",
    leave: "Object.freeze(Map.prototype);",
    look: "return Object.isFrozen(Map.prototype);",
    untouched: false,
    replacedFor: "object",
  },
  {
    name: "Error.prepareStackTrace and stackTraceLimit",
    leave: `Error.prepareStackTrace = () => "${KEY}"; Error.stackTraceLimit = 1;`,
    look: "return [String(new Error('x').stack).includes('key'), Error.stackTraceLimit];",
    untouched: [false, 30],
  },
  {
    name: "the text that a regular expression matched last",
    leave: `/of/.exec("${KEY}");`,
    look: "return (RegExp as any).input + (RegExp as any)['$_'] + (RegExp as any).lastMatch;",
    untouched: "",
  },
  {
    name: "a patched module of Node",
    module: `import util from "node:util";`,
    leave: `(util as any).key = "${KEY}"; (util as any).format = () => "${KEY}";`,
    look: "return [(util as any).key ?? null, util.format('x')];",
    untouched: [null, "x"],
  },
  {
    name: "a patched class of a module of Node",
    module: `import { Readable } from "node:stream";`,
    leave: `(Readable.prototype as any).key = "${KEY}";`,
    look: "return (Readable.from([]) as any).key ?? null;",
  },
  {
    name: "a setting of a module of Node",
    module: `import { EventEmitter } from "node:events"; import nodeUtil from "node:util";`,
    leave: "EventEmitter.defaultMaxListeners = 99; nodeUtil.inspect.defaultOptions.depth = 0;",
    look: "return [EventEmitter.defaultMaxListeners, nodeUtil.inspect({ a: { b: { c: 1 } } })];",
    untouched: [10, "{\n  a: { b: { c: 1 } }\n}".replace("\n  ", " ").replace("\n", " ")],
  },
  {
    name: "a setting of a module of Node that has no property",
    module: `import { getDefaultHighWaterMark, setDefaultHighWaterMark } from "node:stream";`,
    leave: "setDefaultHighWaterMark(false, 7);",
    look: "return getDefaultHighWaterMark(false);",
    untouched: 65536,
    replacedFor: "feature",
  },
  {
    name: "a collection that a module of Node hands out",
    module: `import * as maps from "node:util";`,
    leave: `maps.getSystemErrorMap().set(1, ["${KEY}", "x"]);`,
    look: "return maps.getSystemErrorMap().get(1) ?? null;",
  },
  {
    name: "the memory that small buffers share",
    leave: `globalThis.Buffer.from("${KEY}".repeat(20));`,
    look: `return Buffer.from(Buffer.from("x").buffer).includes("${KEY}");`,
    untouched: false,
  },
  {
    name: "memory that is given without being cleared",
    leave: `Buffer.alloc(5_000_000, "${KEY}");`,
    look: `return Buffer.allocUnsafeSlow(5_000_000).includes("${KEY}") || Buffer.allocUnsafe(5_000_000).includes("${KEY}");`,
    untouched: false,
  },
  {
    name: "the size of the memory that small buffers share",
    leave: "Buffer.poolSize = 123;",
    look: "return Buffer.poolSize;",
    untouched: 65536,
  },
  {
    name: "a timer",
    module: "const ticks: any = globalThis;",
    leave: `setInterval(() => { ticks.key = "${KEY}"; }, 5).unref(); setTimeout(() => { ticks.key = "${KEY}"; }, 30);`,
    look: "await new Promise((resolve) => setTimeout(resolve, 100)); return (globalThis as any).key ?? null;",
  },
  {
    name: "a signal that times out",
    leave: `AbortSignal.timeout(30).addEventListener("abort", () => { (globalThis as any).key = "${KEY}"; });`,
    look: "await new Promise((resolve) => setTimeout(resolve, 100)); return (globalThis as any).key ?? null;",
  },
  {
    name: "a loop of immediates",
    leave: `const loop = () => { (globalThis as any).key = "${KEY}"; setImmediate(loop); }; loop();`,
    look: "await new Promise((resolve) => setTimeout(resolve, 20)); return (globalThis as any).key ?? null;",
  },
  {
    name: "a promise that is settled in the next run",
    leave: `void new Promise((resolve) => setTimeout(resolve, 50)).then(() => { (globalThis as any).key = "${KEY}"; });`,
    look: "await new Promise((resolve) => setTimeout(resolve, 150)); return (globalThis as any).key ?? null;",
  },
  {
    name: "compression that is under way",
    module: `import { brotliCompress } from "node:zlib";`,
    leave: `brotliCompress(Buffer.alloc(20_000_000, "x"), () => { (globalThis as any).key = "${KEY}"; });`,
    look: "return (globalThis as any).key ?? null;",
    replacedFor: "work",
  },
  {
    name: "a computation of a key that is under way",
    module: `import { pbkdf2 } from "node:crypto";`,
    leave: `pbkdf2("a", "b", 20_000_000, 32, "sha256", () => { (globalThis as any).key = "${KEY}"; });`,
    look: "return (globalThis as any).key ?? null;",
    replacedFor: "work",
  },
  {
    name: "a port that waits for messages",
    leave: `const { port1 } = new MessageChannel(); port1.onmessage = () => {};`,
    look: "return null;",
    replacedFor: "work",
  },
  {
    name: "a channel between listeners of the process",
    leave: `new BroadcastChannel("x").onmessage = () => {};`,
    look: "return null;",
    replacedFor: "work",
  },
  {
    name: "WebAssembly that is compiled later",
    leave: `void WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));`,
    look: "return null;",
    replacedFor: "feature",
  },
  {
    name: "a wait on shared memory",
    leave: `void (Atomics as any).waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);`,
    look: "return null;",
    replacedFor: "feature",
  },
  {
    name: "listeners of the process",
    leave: `process.on("exit", () => {}); (process as any).key = "${KEY}"; process.env.KEY = "${KEY}";`,
    look: "return [(process as any).key ?? null, process.env.KEY ?? null, process.listenerCount('exit')];",
    untouched: [null, null, 0],
  },
  {
    name: "the console",
    leave: `(console as any).key = "${KEY}"; console.log = () => {};`,
    look: "return [(console as any).key ?? null, console.log.length];",
    untouched: [null, 0],
  },
  {
    name: "a store that was entered and not left",
    module: `import * as hooks from "node:async_hooks"; const store = new hooks.AsyncLocalStorage(); (globalThis as any).stores ??= []; (globalThis as any).stores.push(store);`,
    leave: `store.enterWith("${KEY}");`,
    look: "return [store.getStore() ?? null, (globalThis as any).stores.length];",
    untouched: [null, 1],
  },
  {
    name: "a patched AsyncLocalStorage",
    module: `import { AsyncLocalStorage } from "node:async_hooks";`,
    leave: `(AsyncLocalStorage.prototype as any).key = "${KEY}";`,
    look: "return (AsyncLocalStorage.prototype as any).key ?? null;",
  },
  {
    name: "marks of performance",
    leave: `performance.mark("${KEY}"); performance.measure("${KEY}");`,
    look: "return performance.getEntries().filter(({ entryType }) => entryType !== 'node').map(({ name }) => name);",
    untouched: [],
  },
  {
    name: "a listener of performance",
    leave: `performance.addEventListener("kept", () => { (globalThis as any).key = "${KEY}"; });`,
    look: "performance.dispatchEvent(new Event('kept')); return (globalThis as any).key ?? null;",
  },
  {
    name: "an observer of performance",
    leave: `new PerformanceObserver(() => {}).observe({ entryTypes: ["mark"] });`,
    look: "return null;",
    replacedFor: "feature",
  },
  {
    name: "a blob with an address",
    leave: `URL.createObjectURL(new Blob(["${KEY}"]));`,
    look: "return null;",
    replacedFor: "feature",
  },
  {
    name: "a schema in zod's global registry",
    leave: `z.globalRegistry.add(z.string(), { id: "kept", title: "${KEY}" });`,
    look: "return [...(z.globalRegistry as any)._idmap.keys()];",
    untouched: [],
  },
  {
    name: "zod's settings and language",
    leave: `z.config({ customError: () => "${KEY}" });`,
    look: "return z.string().safeParse(1).error?.issues[0]?.message.includes('key');",
    untouched: false,
  },
  {
    name: "a static field of a class of the server's package",
    leave: `(ActionError as any).key = "${KEY}"; (createAction as any).key = "${KEY}";`,
    look: "return [(ActionError as any).key ?? null, (createAction as any).key ?? null];",
    untouched: [null, null],
  },
  {
    name: "a class that svc hands out",
    leave: `(svc.ActionError as any).key = "${KEY}"; (svc.ActionError.prototype as any).key = "${KEY}";`,
    look: "return [(svc.ActionError as any).key ?? null, (new svc.ActionError() as any).key ?? null];",
    untouched: [null, null],
  },
  {
    name: "what iterates for svc",
    leave: `Object.getPrototypeOf(svc.paginate({ endpoint: "/" })).key = "${KEY}";`,
    look: "return (svc.paginate({ endpoint: '/' }) as any).key ?? null;",
  },
  {
    name: "the function around the bundle",
    module: "declare const arguments: any; const around: any = arguments.callee;",
    leave: `around.key = "${KEY}";`,
    look: "return around.key ?? null;",
  },
  {
    name: "a web class that is loaded at first use",
    leave: `(Response.prototype as any).key = "${KEY}"; (ReadableStream.prototype as any).key = "${KEY}";`,
    look: "return [(new Response() as any).key ?? null, (new ReadableStream() as any).key ?? null];",
    untouched: [null, null],
  },
  {
    name: "a web class that nobody saw coming",
    leave: `(globalThis as any)[["Perform", "anceMark"].join("")].key = "${KEY}";`,
    look: `return (globalThis as any)[["Perform", "anceMark"].join("")].key ?? null;`,
    replacedFor: "global",
  },
  {
    name: "Web Crypto",
    leave: `(crypto as any).key = "${KEY}"; (crypto.subtle as any).digest = () => "${KEY}";`,
    look: "return [(crypto as any).key ?? null, (await crypto.subtle.digest('SHA-256', new Uint8Array())).byteLength];",
    untouched: [null, 32],
  },
  {
    name: "the navigator's locks",
    leave: "await (navigator as any).locks?.request('x', async () => {});",
    look: "return (navigator as any).locks === undefined;",
    untouched: true,
  },
  {
    name: "replaced timers and fetch",
    leave: `(globalThis as any).setTimeout = () => "${KEY}"; (globalThis as any).fetch = () => "${KEY}";`,
    look: "return [typeof setTimeout(() => {}, 1), fetch.length];",
    untouched: ["object", 2],
  },
  {
    name: "an address with parameters of its own class",
    leave: `(URL.prototype as any).key = "${KEY}"; (URLSearchParams.prototype as any).append = () => {};`,
    look: "const u = new URL('http://a.test'); u.searchParams.append('a', '1'); return [(u as any).key ?? null, u.search];",
    untouched: [null, "?a=1"],
  },
];
