import { functionBuiltIns } from "@jackfield/contract/built-ins";

/** Packages that the process of a function has next to Node's modules. */
const hostPackages: ReadonlySet<string> = new Set([
  "zod",
  "zod/v4",
  "jackfield",
  "@jackfield/functions",
]);

/**
 * What a bundle requires as soon as it is loaded, as bundlers write it: a statement at the beginning of a line. One that
 * is required later may never be, and throws then.
 */
const AT_LOAD =
  /^(?:(?:var|let|const) [\w$]{1,200} = )?(?:__toESM\()?require\(["']([^"'\n]{1,214})["']\)/gm;

/** The first module that a bundle requires and no function's process has. */
export function findMissingModule(code: string): string | undefined {
  for (const [, name = ""] of code.matchAll(AT_LOAD)) {
    if (!hostPackages.has(name) && !functionBuiltIns.has(name.replace(/^node:/, ""))) return name;
  }
  return undefined;
}

/** What is to be said of it, after the name of the function. */
export function explainMissingModule(name: string): string {
  return `requires "${name}", which functions do not have: bundle it into the function, as \`jackfield deploy\` does, or do without. There are ${[...functionBuiltIns].join(", ")}, zod and jackfield.`;
}
