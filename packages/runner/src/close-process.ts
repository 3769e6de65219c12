import { getHeapStatistics } from "node:v8";
import { pinSizes } from "./encode-message.ts";
import { pinMembers } from "./pin-members.ts";

/** What the runner keeps of the process before a function's code is loaded. */
export interface ProcessAccess {
  readonly getBuiltinModule: typeof process.getBuiltinModule;
  readonly exit: (code: number) => void;
  readonly nowMs: () => number;
  /** Names of Node's own modules that are loaded; Node adds to it. */
  readonly loadedModules: readonly string[];
}

/**
 * Members that end, change or look into the process or reach other ones. The permission model leaves some of
 * them open (kill, umask, report), and without a wrapper around the process nothing else stops them.
 */
const closedMembers = [
  "_debugEnd",
  "_debugProcess",
  "_getActiveHandles",
  "_getActiveRequests",
  "_kill",
  "_linkedBinding",
  "_rawDebug",
  "abort",
  "binding",
  "chdir",
  "dlopen",
  "execve",
  "exit",
  "getBuiltinModule",
  "initgroups",
  "kill",
  "loadEnvFile",
  "openStdin",
  "setegid",
  "seteuid",
  "setgid",
  "setgroups",
  "setuid",
  "setSourceMapsEnabled",
  "setUncaughtExceptionCaptureCallback",
  "umask",
] as const;

/** Globals of Node that reach for the network or files; fetch is replaced below. */
const removedGlobals = ["EventSource", "WebSocket", "localStorage", "sessionStorage"] as const;

/** Takes from the process what a function could misuse and puts harmless globals in place. */
export function closeProcess(globals: {
  readonly console: object;
  readonly fetch: typeof fetch;
}): ProcessAccess {
  const access = keepAccess(process);
  // Node prints a warning through process.stderr, a socket that replaced built-ins would see.
  process.removeAllListeners("warning");
  pinMembers(process);
  for (const name of closedMembers) close(process, name);
  // Node's own modules ask these for colours, which would make sockets before the eyes of replaced built-ins.
  for (const name of ["stdin", "stdout", "stderr"]) {
    const value = { isTTY: false, write: () => true };
    Reflect.defineProperty(process, name, { value, configurable: true, writable: true });
  }
  Reflect.deleteProperty(process, "mainModule");
  setGlobal("process", createProcess(process));
  setGlobal("console", globals.console);
  setGlobal("fetch", globals.fetch);
  for (const name of removedGlobals) Reflect.deleteProperty(globalThis, name);
  // Messages to the host are written with these; the rest of the language stays open to polyfills.
  Object.defineProperty(globalThis, "JSON", { writable: false, configurable: false });
  for (const intrinsic of [
    JSON,
    DataView.prototype,
    TextEncoder.prototype,
    TextDecoder.prototype,
  ]) {
    Object.freeze(intrinsic);
  }
  pinSizes();
  return access;
}

function keepAccess(real: NodeJS.Process): ProcessAccess {
  const { exit, getBuiltinModule, hrtime } = real;
  const { bigint } = hrtime;
  return {
    getBuiltinModule,
    exit: (code) => Reflect.apply(exit, real, [code]),
    // Not `performance`, which takes 5 ms of each start to load.
    nowMs: () => Number(bigint()) / 1e6,
    loadedModules: listLoadedModules(real),
  };
}

/** Node's types do not name this list. */
function listLoadedModules(real: object): readonly string[] {
  const list: unknown = Reflect.get(real, "moduleLoadList");
  if (!Array.isArray(list))
    throw new Error("This version of Node does not report what it has loaded.");
  return list;
}

/** Writable, because Node itself assigns some of them when it loads its modules later. */
function close(target: object, name: string): void {
  Reflect.defineProperty(target, name, {
    value: refuse(name),
    configurable: true,
    enumerable: false,
    writable: true,
  });
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(
      `process.${name} is not available to functions; return from the function, or throw, to end a run.`,
    );
  };
}

/** What packages commonly ask of `process`, and nothing that reaches outside. */
function createProcess(real: NodeJS.Process): object {
  const ignore = () => facade;
  const facade: Record<string, unknown> = {
    arch: real.arch,
    argv: [],
    browser: false,
    cwd: () => "/",
    emit: () => false,
    emitWarning: () => {},
    env: { NODE_ENV: "production" },
    execArgv: [],
    hrtime: real.hrtime,
    listenerCount: () => 0,
    listeners: () => [],
    memoryUsage: createMemoryUsage(real),
    nextTick: real.nextTick,
    off: ignore,
    on: ignore,
    once: ignore,
    pid: 1,
    platform: real.platform,
    release: { name: real.release.name },
    removeListener: ignore,
    title: "function",
    uptime: real.uptime,
    version: real.version,
    versions: { ...real.versions },
  };
  for (const name of closedMembers) close(facade, name);
  return facade;
}

function setGlobal(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, {
    value,
    configurable: true,
    enumerable: false,
    writable: true,
  });
}

/**
 * `process.memoryUsage` for functions. Node reads the resident size from /proc, which a function's process need not
 * have; the most it ever had is used then.
 */
function createMemoryUsage(real: NodeJS.Process): NodeJS.MemoryUsageFn {
  const { memoryUsage, resourceUsage } = real;
  const readPeak = () => resourceUsage().maxRSS * 1024;
  const read = () => {
    try {
      return memoryUsage();
    } catch {
      const { total_heap_size, used_heap_size, external_memory } = getHeapStatistics();
      return {
        rss: readPeak(),
        heapTotal: total_heap_size,
        heapUsed: used_heap_size,
        external: external_memory,
        arrayBuffers: 0,
      };
    }
  };
  return Object.assign(read, { rss: () => read().rss });
}
