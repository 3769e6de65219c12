import * as z from "zod";
import type { Tree } from "./tree.ts";

/** What each package may depend on in production; ARCHITECTURE.md, section "Directions". */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "@jackfield/contract": [],
  "@jackfield/catalogue": [],
  "@jackfield/node": [],
  "@jackfield/functions": ["@jackfield/contract"],
  "@jackfield/runner": ["@jackfield/contract", "@jackfield/functions"],
  "@jackfield/frontend": [],
  "@jackfield/connect-ui": [],
  "@jackfield/docs-site": [],
  "@jackfield/server": [
    "@jackfield/catalogue",
    "@jackfield/connect-ui",
    "@jackfield/contract",
    "@jackfield/docs-site",
    "@jackfield/functions",
    "@jackfield/runner",
  ],
  jackfield: [
    "@jackfield/catalogue",
    "@jackfield/contract",
    "@jackfield/functions",
    "@jackfield/server",
    "@jackfield/simulator",
  ],
  "@jackfield/simulator": ["@jackfield/catalogue"],
};

const manifestShape = z.object({
  name: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});

export function findWrongPackageDirections(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    if (!/^packages\/[a-z-]+\/package\.json$/.test(path)) continue;
    const { name, dependencies } = manifestShape.parse(JSON.parse(text));
    const may = allowed[name];
    if (may === undefined) {
      problems.push(`${path}: ${name} is not in the table of package directions`);
      continue;
    }
    for (const dependency of Object.keys(dependencies)) {
      const isOurs = dependency === "jackfield" || dependency.startsWith("@jackfield/");
      if (isOurs && !may.includes(dependency)) {
        problems.push(`${path}: ${name} may not depend on ${dependency}`);
      }
    }
  }
  return problems;
}
