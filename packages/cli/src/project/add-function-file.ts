import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exitCodes, UserError } from "../user-error.ts";
import { type FunctionKind, folderOfKind } from "./function-templates.ts";

export interface NewFunctionFile {
  readonly integration: string;
  readonly name: string;
  readonly kind: FunctionKind;
  readonly text: string;
  /** Replace a file that is there. */
  readonly force: boolean;
  /** What to do about a file that is there. */
  readonly whenThere: string;
}

/** Throws a UserError for names that are no names of a folder and a file of a project. */
export function requireNames({
  integration,
  name,
}: Pick<NewFunctionFile, "integration" | "name">): void {
  requireName("integration", integration, /^(?!\.+$)[a-zA-Z0-9~:.@ _-]{1,255}$/);
  requireName("function's name", name, /^[a-zA-Z0-9_-]{1,255}$/);
}

/** Writes a function's file and its line in index.ts; returns the path, relative to the project. */
export async function addFunctionFile(projectDir: string, file: NewFunctionFile): Promise<string> {
  requireNames(file);
  const place = `${file.integration}/${folderOfKind[file.kind]}/${file.name}`;
  const path = join(projectDir, `${place}.ts`);
  if (existsSync(path) && !file.force) {
    throw new UserError(`${place}.ts exists; nothing was written. ${file.whenThere}`);
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.text);
  await addImports(projectDir, [`./${place}.js`]);
  return `${place}.ts`;
}

/** Adds the lines that index.ts lacks, in the given order. */
export async function addImports(projectDir: string, specifiers: readonly string[]): Promise<void> {
  const index = join(projectDir, "index.ts");
  const text = await readFile(index, "utf8");
  const known = new Set([...text.matchAll(/["']([^"']+)["']/g)].map(([, specifier]) => specifier));
  const lines = specifiers
    .filter((specifier) => !known.has(specifier))
    .map((specifier) => `import "${specifier}";\n`);
  if (lines.length === 0) return;
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  await writeFile(index, `${text}${separator}${lines.join("")}`);
}

function requireName(what: string, name: string, pattern: RegExp): void {
  if (pattern.test(name)) return;
  throw new UserError(`"${name}" cannot be the ${what}: use letters, digits, - and _.`, {
    exitCode: exitCodes.usage,
  });
}
