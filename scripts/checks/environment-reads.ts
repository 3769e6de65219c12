import type { Tree } from "./tree.ts";

// The linter sees `process.env`; these forms escape it.
const escapes = [
  /\{([^{}]*)\}\s*=\s*(?:globalThis\.)?process\b/g,
  /import\s*\{([^{}]*)\}\s*from\s*"(?:node:)?process"/g,
];

/** Only a config.ts reads the environment. */
export function findEnvironmentReads(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => /^packages\/.*\.ts$/.test(path) && !path.endsWith("/config.ts"))
    .filter(([, text]) => escapes.some((form) => takesEnvironment(text, form)))
    .map(([path]) => `${path}: reads the environment; only config.ts may`);
}

function takesEnvironment(text: string, form: RegExp): boolean {
  return [...text.matchAll(form)].some(([, names = ""]) => /\benv\b/.test(names));
}
