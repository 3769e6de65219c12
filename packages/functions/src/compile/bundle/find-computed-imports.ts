import { transform } from "esbuild";
import type { Diagnostic } from "../diagnostic.ts";

/** In code without blanks and comments: an import whose name is no text of its own. */
const COMPUTED = /(?<![.\w$])(?:import|require)\((?!"(?:[^"\\]|\\.)*"[),])/;

/**
 * Calls of `import` or `require` whose name is made while running. For a name such as `./${x}.json` the bundler
 * would walk through this machine's folders and bundle each file that fits.
 */
export async function findComputedImports(text: string): Promise<Diagnostic[]> {
  const plain = await transform(text, {
    loader: "ts",
    target: "esnext",
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "silent",
  }).catch(() => undefined);
  // What cannot be read is not bundled either, and the bundler tells where it is wrong.
  if (plain === undefined || !COMPUTED.test(plain.code)) return [];
  const message =
    "import() and require() of a computed name cannot work: a function is one bundle. Import what it needs by name at the top";
  return [{ message }];
}
