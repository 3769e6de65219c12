import type { Tree } from "./tree.ts";

// The linter sees `process.env`; these forms escape it.
const escapes = [
  /\{[^}]*\benv\b[^}]*\}\s*=\s*(globalThis\.)?process\b/,
  /import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*"(node:)?process"/,
];

/** Only a config.ts reads the environment. */
export function findEnvironmentReads(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => /^packages\/.*\.ts$/.test(path) && !path.endsWith("/config.ts"))
    .filter(([, text]) => escapes.some((form) => form.test(text)))
    .map(([path]) => `${path}: reads the environment; only config.ts may`);
}
