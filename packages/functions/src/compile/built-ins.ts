import { isBuiltin } from "node:module";
import { functionBuiltIns } from "@jackfield/contract/built-ins";

const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /^(fs|sqlite)\b/,
    "functions have no file system; keep state in records, metadata or checkpoints",
  ],
  [
    /^(http|https|http2|net|tls|dns|dgram)\b/,
    "functions have no network of their own; call the provider with svc.get, svc.post or svc.proxy",
  ],
  [/^(child_process|cluster|worker_threads)$/, "functions cannot start processes or threads"],
  [/^(vm|module|repl|inspector|wasi|ffi)\b/, "functions cannot load or inspect other code"],
];

/** `node:crypto` for `crypto` and `node:crypto`; undefined for a name that is no built-in. */
export function toBuiltIn(specifier: string): string | undefined {
  const bare = specifier.replace(/^node:/, "");
  return isBuiltin(specifier) || functionBuiltIns.has(bare) ? `node:${bare}` : undefined;
}

export function isAllowedBuiltIn(builtIn: string): boolean {
  return functionBuiltIns.has(builtIn.replace(/^node:/, ""));
}

/** Why a function cannot have a built-in. */
export function explainForbidden(builtIn: string): string {
  const bare = builtIn.replace(/^node:/, "");
  const why = reasons.find(([pattern]) => pattern.test(bare))?.[1];
  return `"${bare}" is not available to functions: ${why ?? `allowed are ${[...functionBuiltIns].join(", ")}`}.`;
}
