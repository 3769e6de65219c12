import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { UserError } from "../user-error.ts";
import { readVersion } from "../version.ts";

export interface FunctionChanges {
  readonly changed: readonly string[];
  /** What no rule can change. */
  readonly byHand: readonly { readonly file: string; readonly message: string }[];
}

const skipped = new Set(["node_modules", "build", "dist", ".nango", ".git", ".jackfield"]);

/** Changes a project in place; throws a UserError where there is none. */
export async function changeFunctions(
  path: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<FunctionChanges> {
  if (!existsSync(path)) throw new UserError(`There is no folder ${path}.`);
  const changed: string[] = [];
  const byHand: { file: string; message: string }[] = [];
  for (const file of await listFiles(path)) {
    const before = await readFile(file, "utf8");
    const after = changeFile(basename(file), before);
    byHand.push(...findWork(basename(file), before).map((message) => ({ file, message })));
    if (after === before) continue;
    changed.push(file);
    if (!dryRun) await writeFile(file, after);
  }
  return { changed, byHand };
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = await Promise.all(
    entries
      .filter(({ name }) => !skipped.has(name))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(async (entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return await listFiles(path);
        return entry.isFile() && isOurs(entry.name) ? [path] : [];
      }),
  );
  return nested.flat();
}

function isOurs(name: string): boolean {
  return (
    /\.[cm]?tsx?$/.test(name) ||
    /^\.env(\..+)?$/.test(name) ||
    ["package.json", "nango.yaml"].includes(name)
  );
}

/** The text of one file as the other project has it. */
export function changeFile(name: string, text: string): string {
  if (name === "package.json") return changeManifest(text);
  if (name.startsWith(".env")) {
    return text.replace(/^((?:export )?)NANGO_(SECRET_KEY\w*|HOSTPORT)(?==)/gm, "$1SVC_$2");
  }
  // Imports, re-exports, `import()` and `typeof import()`, and mocks of tests, of the package itself.
  return text.replace(
    /\b(from\s*|import\s*\(\s*|import\s+|require\(\s*|mock\(\s*)(["'])nango\2/g,
    "$1$2jackfield$2",
  );
}

function changeManifest(text: string): string {
  const manifest: Readonly<Record<string, unknown>> = Object(JSON.parse(text));
  const changed = Object.fromEntries(
    Object.entries(manifest).map(([name, value]) => {
      if (name === "dependencies" || name === "devDependencies")
        return [name, changePackages(value)];
      return name === "scripts" ? [name, changeScripts(value)] : [name, value];
    }),
  );
  const isSame = JSON.stringify(changed) === JSON.stringify(manifest);
  return isSame ? text : `${JSON.stringify(changed, undefined, 2)}\n`;
}

function changePackages(packages: unknown): object {
  return Object.fromEntries(
    Object.entries(Object(packages)).map(([name, range]) =>
      name === "nango" ? ["jackfield", readVersion()] : [name, range],
    ),
  );
}

function changeScripts(scripts: unknown): object {
  return Object.fromEntries(
    Object.entries(Object(scripts)).map(([name, script]) => [
      name,
      String(script).replaceAll(/(?<![\w/@.-])nango(?=\s)/g, "jackfield"),
    ]),
  );
}

function findWork(name: string, text: string): string[] {
  if (name === "nango.yaml") {
    return [
      "put frequency, models and scopes of each sync and action into createSync or createAction of its file, then delete this one",
    ];
  }
  if (!name.endsWith(".ts")) return [];
  return [
    ...(/export\s+default\s+(?:async\s+)?function/.test(text)
      ? ["an older function: put its body into `exec` of createSync or createAction"]
      : []),
    ...(/(["'])@nangohq\//.test(text)
      ? ["imports a package of Nango: use @jackfield/node or @jackfield/frontend"]
      : []),
  ];
}
