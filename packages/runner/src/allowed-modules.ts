import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { functionBuiltIns } from "@jackfield/contract/built-ins";
import { createHostModules } from "./host-modules.ts";

/**
 * The `require` of a bundle; `getBuiltinModule` is kept from before the process was closed, and `onModule` hears of each
 * module that outlives the bundle's instance before the bundle has it.
 */
export function createRequire(
  getBuiltinModule: typeof process.getBuiltinModule,
  onModule: (name: string, module: unknown) => void,
): (name: unknown) => unknown {
  const asyncHooks = { AsyncLocalStorage, AsyncResource };
  const findHostModule = createHostModules();
  return (name) => {
    const text = String(name);
    const bare = text.startsWith("node:") ? text.slice("node:".length) : text;
    // Its hooks would show the process's own sockets.
    if (bare === "async_hooks") return asyncHooks;
    if (functionBuiltIns.has(bare)) {
      const module: unknown = getBuiltinModule(`node:${bare}`);
      onModule(bare, module);
      return module;
    }
    const hostModule = findHostModule(text);
    if (hostModule !== undefined) {
      if (!text.startsWith("zod")) onModule(text, hostModule);
      return hostModule;
    }
    const error = new Error(
      `Module "${text}" is not available to functions. Built-in modules that are: ${[...functionBuiltIns].join(", ")}. Packages are bundled when the function is compiled.`,
    );
    throw Object.assign(error, { code: "MODULE_NOT_FOUND" });
  };
}
