import { dirname } from "node:path/posix";
import type { Tree } from "./tree.ts";

const MOST_FILES = 15;

/** Folders that may have more files, how many, and why. No folder is added without a reason; a count only falls. */
const wider: Readonly<Record<string, readonly [most: number, why: string]>> = {
  "packages/catalogue/src": [25, "one file for each rule of an entry; its layout is still to come"],
  "packages/catalogue/src/modes": [18, "one file for each auth mode"],
  "packages/cli/src/commands": [29, "one file for each command"],
  "packages/connect-ui/src": [17, "one page; its views are laid out with the next screens"],
  "packages/functions/src/compile": [17, "its layout is still to come"],
  "packages/functions/src/runtime": [28, "one file for each call of `svc`"],
  "packages/node/src": [19, "laid out with the namespaces of the client"],
  "packages/server/src/auth-modes": [40, "laid out when modes are typed by construction"],
  "packages/server/src/auth-modes/modes": [18, "one file for each auth mode"],
  "packages/server/src/connect/attempts": [18, "its layout is still to come"],
  "packages/server/src/integrations": [16, "its layout is still to come"],
  "packages/server/src/platform": [25, "small foundations that everything imports"],
  "packages/server/src/platform/db": [22, "its layout is still to come"],
  "packages/server/src/platform/embedded-postgres": [18, "its layout is still to come"],
  "packages/server/src/platform/http": [22, "its layout is still to come"],
  "packages/server/src/platform/sandbox": [31, "its layout is still to come"],
  "packages/server/src/records": [16, "its layout is still to come"],
  "packages/server/src/webhooks-in/routers": [47, "one file for each provider"],
  "packages/simulator/src": [22, "its layout is still to come"],
  "packages/simulator/src/vendor": [30, "its layout is still to come"],
  scripts: [18, "one file for each npm script"],
  "scripts/checks": [16, "one file for each rule"],
  "scripts/bench": [35, "one file for each bench"],
};

/** Folders with more source files than a reader takes in at once; tests do not count. */
export function findWideFolders(tree: Tree): string[] {
  const counts = new Map<string, number>();
  for (const path of tree.keys()) {
    if (!/^(?:packages|scripts|tests)\/.*\.tsx?$/.test(path)) continue;
    if (/\.(?:test|chaos)\.tsx?$|\/fixtures\/|\/functions\/src\/compile\/fixture/.test(path))
      continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) => {
    const [most, why] = wider[folder] ?? [MOST_FILES, "a folder has 15 at most"];
    return count > most ? [`${folder}: ${count} source files, ${most} are allowed (${why})`] : [];
  });
}
