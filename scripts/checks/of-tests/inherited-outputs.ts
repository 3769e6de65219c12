import type { Tree } from "../tree.ts";

/**
 * A process that a test starts gets pipes of its own, which the test forwards. With the test file's output it would
 * hold the whole run up for as long as it lives: the runner waits until nobody has the output open.
 */
export function findInheritedOutputs(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => /^(packages\/[^/]+\/src|tests)\/.*\.tsx?$/.test(path))
    .filter(([, text]) => text.split("\n").some(givesOutput))
    .map(([path]) => `${path}: a child process inherits an output; pipe it to process.stderr`);
}

function givesOutput(line: string): boolean {
  return line.includes("stdio") && line.includes('"inherit"');
}
