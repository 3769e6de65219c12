/**
 * Ways out of a function's process that were tried on other sandboxes, as data: a name, and the body of an action.
 * In scope: `svc`, `require`, and `T` with what must not be reached: `file` (holds a secret), `dir` (writable by
 * everyone), `port` (a TCP server), `socket` and `abstract` (Unix sockets), `pid` (another process).
 * A body that learns something returns it; one that reaches a thing that should be closed returns "REACHED".
 */
export interface Attempt {
  readonly name: string;
  readonly body: string;
  /** Leaves its process as it was, so that others of that kind may be tried in the same one. */
  readonly isTidy?: boolean;
}

/** Tries to do harm with a module of Node, however it was come by. */
const WITH_MODULES = `
  const use = (get) => {
    const told = [];
    const tried = (what) => { try { told.push(what()); } catch (error) { told.push(String(error)); } };
    tried(() => get("fs").readFileSync(T.file, "utf8"));
    tried(() => get("fs").writeFileSync(T.dir + "/hit", "x"));
    tried(() => get("child_process").execSync("id > " + T.dir + "/hit; cat " + T.file).toString());
    tried(() => get("net").connect(T.port, "127.0.0.1").on("error", () => {}) && "asked");
    tried(() => { const { DatabaseSync } = get("sqlite"); new DatabaseSync(T.dir + "/hit").exec("create table t (a)"); return "REACHED"; });
    return told;
  };`;

const closedModules = [
  ...["child_process", "cluster", "dgram", "diagnostics_channel", "dns", "dns/promises", "domain"],
  ...["ffi", "fs", "fs/promises", "http", "http2", "https", "inspector", "inspector/promises"],
  ...["module", "net", "os", "perf_hooks", "process", "quic", "readline", "repl", "sea", "sqlite"],
  ...["test", "tls", "trace_events", "tty", "v8", "vm", "wasi", "worker_threads"],
  ...[
    "internal/bootstrap/realm",
    "internal/process/permission",
    "../../../../../proc/self/environ",
  ],
];

const requires: Attempt[] = closedModules.map((name) => ({
  name: `require ${name}`,
  isTidy: true,
  body: `for (const text of ["node:${name}", "${name}"]) { try { require(text); return "REACHED"; } catch {} }`,
}));

/** Each gets at `Function` by another way; all of them meet the ban on code from strings. */
const functionRoutes: Readonly<Record<string, string>> = {
  "a constructor chain": "[].constructor.constructor",
  "an async function": "(async () => {}).constructor",
  "a generator": "(function* () {}).constructor",
  "an async generator": "(async function* () {}).constructor",
  "a method of svc": "svc.get.constructor",
  "the console": "console.log.constructor",
  require: "require.constructor",
  "a promise": "Promise.resolve().then.constructor",
  "a bound function": "Function.bind(null)",
  "a proxy of it": "new Proxy(Function, {})",
  "a failed call's error":
    'await svc.getConnection("none").catch((e) => e.constructor.constructor)',
  "its error's prototype":
    "await svc.proxy({}).catch((e) => Object.getPrototypeOf(e).constructor.constructor)",
  "the buffer": "Buffer.from.constructor",
  "a getter of the signal": 'Object.getOwnPropertyDescriptor(svc, "abortSignal").get.constructor',
  "the facade of process": "process.cwd.constructor",
  "the timer": "setTimeout(() => {}, 0).constructor.constructor",
};

const functions: Attempt[] = Object.entries(functionRoutes).map(([name, expression]) => ({
  name: `Function through ${name}`,
  isTidy: true,
  body: `${WITH_MODULES}
    const Made = ${expression};
    const real = await Made("return typeof process === 'object' && process.mainModule !== undefined ? process : globalThis.process")();
    return use((name) => real.mainModule.require(name));`,
}));

const processMembers = [
  'binding("fs")',
  '_linkedBinding("fs")',
  'dlopen({ exports: {} }, T.dir + "/x.node")',
  'getBuiltinModule("fs").readFileSync(T.file, "utf8")',
  "kill(T.pid, 9)",
  "kill(-1, 9)",
  "kill(process.ppid, 9)",
  "_kill(T.pid, 9)",
  "_debugProcess(T.pid)",
  "setuid(0)",
  "seteuid(0)",
  "setgid(0)",
  'initgroups("root", 0)',
  'execve("/bin/sh", ["sh", "-c", "touch " + T.dir + "/hit"])',
  "loadEnvFile(T.file)",
  "chdir(T.dir)",
  "umask(0)",
  "abort()",
  "exit(0)",
  "reallyExit(0)",
  "openStdin()",
  "report.getReport()",
  "report.writeReport(T.dir + '/hit')",
  "setUncaughtExceptionCaptureCallback(() => {})",
  "_getActiveHandles()",
  "_getActiveRequests()",
  "_startProfilerIdleNotifier()",
  'constructor.constructor("return this")()',
  "stdout.write('x')",
  "stderr.write('x')",
  "permission.drop('fs')",
  "finalization.register({}, () => {})",
  "channel.ref()",
  "send('x')",
];

const processAttempts: Attempt[] = processMembers.map((call) => ({
  name: `process.${call}`,
  isTidy: true,
  body: `process.${call}; const told = process.${call}; return told ?? "REACHED";`,
}));

const others: Attempt[] = [
  {
    name: "indirect eval",
    body: `return (0, eval)("globalThis.process.mainModule.require('fs')") ?? "REACHED";`,
  },
  {
    name: "a timer of text",
    body: `setTimeout("globalThis.hit = 1", 0); await new Promise((r) => setTimeout(r, 5)); if (globalThis.hit) return "REACHED";`,
  },
  {
    name: "import() of a module",
    body: `${WITH_MODULES} const name = "node:fs"; const fs = await import(name); return use(() => fs);`,
  },
  {
    name: "import() of data",
    body: `await import("data:text/javascript,export default 1"); return "REACHED";`,
  },
  { name: "import() of a file", body: `await import("file://" + T.file); return "REACHED";` },
  {
    name: "module's own loader",
    body: `return [module.constructor._load, module.parent, module.children, require.main, require.cache, require.extensions].some((x) => x !== undefined) ? "REACHED" : 0;`,
  },
  { name: "process.mainModule", body: `return process.mainModule === undefined ? 0 : "REACHED";` },
  { name: "the environment", body: `return JSON.stringify(process.env);` },
  {
    name: "flags for later processes",
    body: `process.env.NODE_OPTIONS = "--require=" + T.file; process.execArgv.push("--allow-fs-read=*"); return JSON.stringify(process.argv);`,
  },
  {
    name: "this of a sloppy function",
    body: `${WITH_MODULES} const top = (function () { return this; })(); return use((name) => top.process.mainModule.require(name));`,
  },
  {
    name: "the caller of a function",
    body: `function f() { return f.caller; } let at = f(); const seen = []; for (let n = 0; at && n < 20; n++) { seen.push(String(at).slice(0, 200)); at = at.caller; } return seen.some((text) => text.includes("#link")) ? "REACHED" : 0;`,
  },
  {
    name: "arguments of a caller",
    body: `function f() { const from = f.caller; return from && from.arguments; } const got = f(); return got && [...got].some((x) => x && x.channel) ? "REACHED" : 0;`,
  },
  {
    name: "call sites' functions",
    body: `Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; const found = sites.map((s) => [s.getThis(), s.getFunction()]).flat().filter((x) => x !== undefined && x !== globalThis); return found.some((x) => typeof x === "function" ? String(x).includes(["#", "link"].join("")) : x && x.process) ? "REACHED" : 0;`,
  },
  {
    name: "call sites of a failed call",
    body: `const seen = []; Error.prepareStackTrace = (error, sites) => { for (const s of sites) { const self = s.getThis(); if (self !== undefined && self !== globalThis) seen.push(self); } return ""; }; await svc.getConnection("none").catch((error) => error.stack); await svc.proxy({}).catch((error) => error.stack); return seen.length > 0 ? "REACHED" : 0;`,
  },
  {
    name: "an endless stack trace limit",
    body: `Error.stackTraceLimit = Infinity; Error.prepareStackTrace = (_, s) => s.map((x) => x.getFileName()); const got = new Error().stack; return JSON.stringify(got).includes("secret") ? "REACHED" : 0;`,
  },
  {
    name: "a setter that catches internals",
    body: `const seen = []; for (const name of ["fd", "handle", "_handle", "channel", "onFrame", "head", "link", "pending"]) Object.defineProperty(Object.prototype, name, { configurable: true, set(value) { seen.push(this); } }); await svc.getEnvironmentVariables().catch(() => {}); return seen.some((x) => x && (x.fd !== undefined || x.write)) ? "REACHED" : 0;`,
  },
  {
    name: "replaced emitters",
    body: `const { EventEmitter } = require("events"); const seen = []; const real = EventEmitter.prototype.emit; EventEmitter.prototype.emit = function (...args) { seen.push(this); return real.apply(this, args); }; await svc.getEnvironmentVariables().catch(() => {}); return seen.some((x) => x.fd !== undefined || x.pid) ? "REACHED" : 0;`,
  },
  {
    name: "replaced streams",
    body: `const { Readable, Writable, Duplex } = require("stream"); const seen = []; for (const proto of [Readable.prototype, Writable.prototype, Duplex.prototype]) for (const name of ["write", "push", "read", "on", "_write", "cork", "end", "resume"]) { const real = proto[name]; if (real) proto[name] = function (...args) { seen.push(this); return real.apply(this, args); }; } await svc.getEnvironmentVariables().catch(() => {}); return seen.length > 0 ? "REACHED" : 0;`,
  },
  {
    name: "replaced promises",
    body: `const seen = []; const real = Promise.prototype.then; Promise.prototype.then = function (...args) { seen.push(this); return real.apply(this, args); }; await svc.getEnvironmentVariables().catch(() => {}); return 0;`,
  },
  {
    name: "a promise of another species",
    body: `class Mine extends Promise { static get [Symbol.species]() { return function (run) { run((x) => x, (x) => x); return { then() {} }; }; } } await Promise.race([Mine.resolve(1).then(() => {}), new Promise((r) => setTimeout(r, 5))]); return 0;`,
  },
  {
    name: "hooks of async resources",
    body: `const { createHook, executionAsyncResource } = require("async_hooks"); if (createHook || executionAsyncResource) return "REACHED";`,
  },
  {
    name: "the store of the current run",
    body: `const { AsyncLocalStorage } = require("async_hooks"); const snapshot = AsyncLocalStorage.snapshot(); return snapshot(() => JSON.stringify(Object.getOwnPropertySymbols(globalThis).map(String))).includes("Run") ? "REACHED" : 0;`,
  },
  {
    name: "the list of timers",
    body: `let at = setTimeout(() => {}, 1e6); const seen = []; for (let n = 0; at && n < 20 && !seen.includes(at); n++) { seen.push(at); at = at._idleNext; } return seen.some((x) => x && x.process) ? "REACHED" : 0;`,
  },
  {
    name: "undici's dispatcher",
    body: `new Response("x"); const symbols = Object.getOwnPropertySymbols(globalThis).filter((s) => String(s).includes("undici")); const agents = symbols.map((s) => globalThis[s]).filter(Boolean); for (const agent of agents) { await new Promise((resolve) => { try { agent.dispatch({ origin: "http://127.0.0.1:" + T.port, path: "/", method: "GET" }, { onConnect() {}, onRequestStart() {}, onHeaders: () => true, onResponseStart() {}, onData: () => true, onResponseData() {}, onComplete: resolve, onResponseEnd: resolve, onError: resolve, onResponseError: resolve }); } catch { resolve(); } }); } return 0;`,
  },
  {
    name: "fetch to a private port",
    body: `return await (await fetch("http://127.0.0.1:" + T.port)).text();`,
  },
  { name: "fetch of a file", body: `return await (await fetch("file://" + T.file)).text();` },
  {
    name: "fetch of a Unix socket",
    body: `return await (await fetch("http://unix:" + T.socket + ":/")).text();`,
  },
  {
    name: "uncontrolledFetch of the metadata service",
    body: `return await (await svc.uncontrolledFetch({ url: new URL("http://169.254.169.254/latest/meta-data/") })).text();`,
  },
  {
    name: "sockets of the browser",
    body: `return [globalThis.WebSocket, globalThis.EventSource, globalThis.Worker, globalThis.SharedWorker, globalThis.localStorage].some(Boolean) ? "REACHED" : 0;`,
  },
  {
    name: "a channel to other threads",
    body: `const channel = new BroadcastChannel("x"); channel.onmessage = () => {}; channel.postMessage("x"); channel.close(); return 0;`,
  },
  {
    name: "a port with a foreign prototype",
    body: `const { port1 } = new MessageChannel(); const seen = []; for (let at = port1; at; at = Object.getPrototypeOf(at)) seen.push(...Object.getOwnPropertyNames(at)); return seen.includes("fd") ? "REACHED" : 0;`,
  },
  {
    name: "WebAssembly with imports of the host",
    body: `const bytes = Uint8Array.from([0,97,115,109,1,0,0,0,1,4,1,96,0,0,2,7,1,1,101,1,102,0,0,8,1,0]); const made = await WebAssembly.instantiate(bytes, { e: { f() { return process; } } }).catch(() => undefined); return made && made.process ? "REACHED" : 0;`,
  },
  {
    name: "shared memory for timing",
    body: `const shared = new SharedArrayBuffer(8); Atomics.add(new Int32Array(shared), 0, 1); return 0;`,
  },
  {
    name: "a crypto engine",
    body: `require("crypto").setEngine(T.dir + "/engine.so"); return "REACHED";`,
  },
  {
    name: "a key from a file",
    body: `return require("crypto").createPrivateKey("file://" + T.file).export({ type: "pkcs8", format: "pem" });`,
  },
  {
    name: "an assertion that reads its source",
    body: `const assert = require("assert"); Error.prepareStackTrace = (_, sites) => { for (const s of sites) s.getFileName = () => T.file; return sites; }; try { assert.ok(0); } catch (error) { return error.message; }`,
  },
  {
    name: "a source map elsewhere",
    body: `const error = new Error("x"); error.stack = "Error: x\\n    at " + T.file + ":1:1"; throw error;`,
  },
  {
    name: "an error that names another file",
    body: `const error = new Error("x"); Object.defineProperty(error, "stack", { get() { return "at " + T.file; } }); throw error;`,
  },
  {
    name: "an object URL",
    body: `const url = require("buffer").resolveObjectURL("blob:nodedata:" + T.file); return url ?? 0;`,
  },
  {
    name: "left-over memory",
    body: `const text = Buffer.concat(Array.from({ length: 50 }, () => Buffer.allocUnsafeSlow(65536))).toString("latin1"); return /canary-[a-z]+-\\d+/.exec(text)?.[0] ?? 0;`,
  },
  {
    name: "env files by util",
    body: `const util = require("util"); return util.parseEnv("A=$SECRET"); `,
  },
  {
    name: "call sites by util",
    body: `const sites = require("util").getCallSites?.() ?? []; return JSON.stringify(sites).includes("secret") ? "REACHED" : 0;`,
  },
  {
    name: "inspection of everything",
    body: `return require("util").inspect(globalThis, { showHidden: true, depth: 6, getters: true }).slice(0, 2e6).match(/canary-[a-z]+-\\d+/)?.[0] ?? 0;`,
  },
  {
    name: "inspection of svc",
    body: `return require("util").inspect(svc, { showHidden: true, depth: 10, showProxy: true, getters: true }).match(/HostLink|#link|socket/i) ? "REACHED" : 0;`,
  },
  {
    name: "the prototype of svc",
    body: `return Object.getPrototypeOf(svc) !== null || svc.constructor || svc.__proto__ ? "REACHED" : 0;`,
  },
  {
    name: "writing to svc",
    body: `"use strict"; try { svc.get = 1; return "REACHED"; } catch {} try { Object.defineProperty(svc, "x", { value: 1 }); return "REACHED"; } catch {} return 0;`,
  },
  {
    name: "a proxy as a log line",
    body: `const seen = []; await svc.log(new Proxy({}, { get(target, key, receiver) { seen.push(String(key)); return undefined; }, ownKeys: () => ["__proto__"], getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: process }) })); return 0;`,
  },
  {
    name: "toJSON that forges a message",
    body: `await svc.setMetadata({ toJSON: () => ({ op: "done", runId: "other" }) }).catch(() => {}); return 0;`,
  },
  {
    name: "__proto__ in what is sent",
    body: `await svc.setMetadata(JSON.parse('{"__proto__":{"polluted":1}}')).catch(() => {}); return {}.polluted ? "REACHED" : 0;`,
  },
  {
    name: "methods that do not exist",
    body: `return ["__proto__", "constructor", "dropTables", "exec"].some((name) => svc[name] !== undefined) ? "REACHED" : 0;`,
  },
  {
    name: "replaced JSON",
    body: `try { JSON.stringify = () => '{"op":"done","runId":"other"}'; } catch {} try { globalThis.JSON = {}; } catch {} await svc.getEnvironmentVariables().catch(() => {}); return 0;`,
  },
  {
    name: "replaced text encoders",
    body: `try { TextEncoder.prototype.encode = function (text) { globalThis.seen = text; return new Uint8Array(0); }; } catch {} await svc.getEnvironmentVariables().catch(() => {}); return globalThis.seen ? "REACHED" : 0;`,
  },
  {
    name: "replaced buffers",
    body: `const seen = []; const real = Uint8Array.prototype.set; Uint8Array.prototype.set = function (...args) { seen.push(args); return real.apply(this, args); }; await svc.getEnvironmentVariables().catch(() => {}); return 0;`,
  },
  {
    name: "an unhandled rejection as an escape",
    body: `process.on("unhandledRejection", () => {}); Promise.reject(new Error("x")); await new Promise((r) => setTimeout(r, 20)); return 0;`,
  },
  {
    name: "domains and uncaught errors",
    body: `setTimeout(() => { throw Object.assign(new Error("x"), { domainEmitter: process }); }, 0); await new Promise((r) => setTimeout(r, 20)); return 0;`,
  },
  {
    name: "finalizers",
    body: `const registry = new FinalizationRegistry(() => {}); registry.register({}, process); new WeakRef(svc).deref(); return 0;`,
  },
  {
    name: "locale and time zone",
    body: `process.env.TZ = "../../../etc/passwd"; return String(new Date(0)).includes("root:") ? "REACHED" : 0;`,
  },
  {
    name: "a Unix socket by path",
    body: `${WITH_MODULES} return use((name) => { if (name !== "net") return require(name); const { connect } = require("net"); return { connect: () => connect(T.socket) }; });`,
  },
  {
    name: "an abstract Unix socket",
    body: `const { connect } = require("net"); connect("\\0" + T.abstract); return "REACHED";`,
  },
  {
    name: "the parent's memory",
    body: `return require("fs").readFileSync("/proc/" + process.ppid + "/environ", "utf8");`,
  },
  {
    name: "own descriptors",
    body: `const fs = require("fs"); return [3, 4, 5, 6, 7, 8].map((fd) => { try { return fs.readSync(fd, Buffer.alloc(10)); } catch { return 0; } });`,
  },
  {
    name: "a symbolic link",
    body: `require("fs").symlinkSync(T.file, T.dir + "/hit"); return "REACHED";`,
  },
  {
    name: "ptrace by a debugger",
    body: `require("inspector").open(9229, "127.0.0.1"); return "REACHED";`,
  },
  {
    name: "navigator's locks",
    body: `return navigator.userAgent.includes("secret") ? "REACHED" : 0;`,
  },
  {
    name: "the performance timeline",
    body: `return JSON.stringify(performance.toJSON?.() ?? {}).includes("canary") ? "REACHED" : 0;`,
  },
  {
    name: "structuredClone of a function's scope",
    body: `try { structuredClone(svc.get); return "REACHED"; } catch { return 0; }`,
  },
  {
    name: "Error.captureStackTrace on internals",
    body: `const target = {}; Error.captureStackTrace(target, svc.get); return String(target.stack).includes("secret") ? "REACHED" : 0;`,
  },
];

export const escapeAttempts: readonly Attempt[] = [
  ...functions,
  ...requires,
  ...processAttempts,
  ...others,
];
