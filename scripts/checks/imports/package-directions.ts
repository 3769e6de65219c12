import * as z from "zod";
import type { Tree } from "../tree.ts";

/** What each package may depend on in production; ARCHITECTURE.md, section "Directions". */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "@jackfield/contract": [],
  "@jackfield/catalogue": [],
  "@jackfield/node": [],
  "@jackfield/functions": ["@jackfield/contract"],
  "@jackfield/runner": ["@jackfield/contract", "@jackfield/functions"],
  "@jackfield/frontend": [],
  "@jackfield/react": ["@jackfield/frontend"],
  "@jackfield/connect-ui": [],
  "@jackfield/dashboard": [],
  "@jackfield/ui": [],
  "@jackfield/docs-site": [],
  "@jackfield/server": [
    "@jackfield/catalogue",
    "@jackfield/connect-ui",
    "@jackfield/contract",
    "@jackfield/dashboard",
    "@jackfield/docs-site",
    "@jackfield/functions",
    "@jackfield/runner",
  ],
  jackfield: [
    "@jackfield/catalogue",
    "@jackfield/contract",
    "@jackfield/functions",
    "@jackfield/server",
  ],
  "@jackfield/simulator": ["@jackfield/catalogue"],
};

const manifestShape = z.object({
  name: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
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
  return [...problems, ...findPackageCycles(tree)];
}

/** Packages that need each other, for development and as peers, too: none of them can be tested without the other. */
function findPackageCycles(tree: Tree): string[] {
  const manifests = [...tree]
    .filter(([path]) => /^packages\/[a-z-]+\/package\.json$/.test(path))
    .map(([, text]) => manifestShape.parse(JSON.parse(text)));
  const needs = new Map(
    manifests.map(({ name, dependencies, devDependencies, peerDependencies }) => [
      name,
      Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
    ]),
  );
  const reached = (name: string): Set<string> => {
    const found = new Set<string>();
    const open = [...(needs.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(needs.get(next) ?? []));
    }
    return found;
  };
  return [...needs.keys()]
    .filter((name) => reached(name).has(name))
    .map((name) => `${name} needs itself through other packages`);
}
