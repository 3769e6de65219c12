import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

/** Built-ins that need no permission of the process; everything else comes with the bundle or not at all. */
const allowedModules: ReadonlySet<string> = new Set([
  "assert",
  "async_hooks",
  "buffer",
  "crypto",
  "events",
  "path",
  "querystring",
  "stream",
  "stream/web",
  "string_decoder",
  "timers",
  "timers/promises",
  "url",
  "util",
  "zlib",
]);

/** The `require` of a bundle; `getBuiltinModule` is kept from before the process was closed. */
export function createRequire(
  getBuiltinModule: typeof process.getBuiltinModule,
): (name: unknown) => unknown {
  const asyncHooks = { AsyncLocalStorage, AsyncResource };
  return (name) => {
    const text = String(name);
    const bare = text.startsWith("node:") ? text.slice("node:".length) : text;
    // Its hooks would show the process's own sockets.
    if (bare === "async_hooks") return asyncHooks;
    if (allowedModules.has(bare)) return getBuiltinModule(`node:${bare}`);
    const error = new Error(
      `Module "${text}" is not available to functions. Built-in modules that are: ${[...allowedModules].join(", ")}. Packages are bundled when the function is compiled.`,
    );
    throw Object.assign(error, { code: "MODULE_NOT_FOUND" });
  };
}
