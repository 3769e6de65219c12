import { existsSync, globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { CompileError, type Diagnostic } from "./diagnostic.ts";

export interface ProjectFile {
  readonly integrationId: string;
  readonly functionName: string;
  /** Relative to the project, with forward slashes. */
  readonly file: string;
}

const IMPORT = /^\s*import\s+["']\.\/([^"']+)["']/;
const FUNCTION_FILE = /^([^/]+)\/(syncs|actions|on-events)\/([a-zA-Z0-9_-]+)\.(js|ts)$/;

/** The functions that a project's `index.ts` imports, one line each; throws a CompileError. */
export function listProjectFiles(root: string): {
  files: ProjectFile[];
  problems: Diagnostic[];
  warnings: Diagnostic[];
} {
  const index = join(root, "index.ts");
  if (!existsSync(index)) {
    const message =
      "index.ts is missing: it imports each function, such as import './crm/syncs/contacts.js'";
    throw new CompileError([{ message }]);
  }
  const files = new Map<string, ProjectFile>();
  const problems: Diagnostic[] = [];
  for (const [number, text] of readFileSync(index, "utf8").split("\n").entries()) {
    const path = IMPORT.exec(text)?.[1];
    if (path === undefined) continue;
    const place = { file: "index.ts", line: number + 1, column: text.indexOf("./") + 1 };
    const file = toProjectFile(path);
    if (file === undefined) {
      const message = `"./${path}" is not ./<integration>/<syncs|actions|on-events>/<name>.js`;
      problems.push({ ...place, message });
    } else if (!existsSync(join(root, file.file))) {
      problems.push({ ...place, message: `${file.file} does not exist` });
    } else {
      files.set(file.file, file);
    }
  }
  const warnings = listUnimported(root, files);
  return { files: [...files.values()], problems, warnings };
}

function toProjectFile(path: string): ProjectFile | undefined {
  const match = FUNCTION_FILE.exec(path);
  if (match === null) return undefined;
  const [, integrationId = "", folder = "", functionName = ""] = match;
  return { integrationId, functionName, file: `${integrationId}/${folder}/${functionName}.ts` };
}

function listUnimported(root: string, files: ReadonlyMap<string, ProjectFile>): Diagnostic[] {
  return globSync("*/{syncs,actions,on-events}/*.ts", { cwd: root })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => !files.has(path) && !/\.(test|d)\.ts$|^node_modules\//.test(path))
    .map((file) => ({ file, message: "is not imported in index.ts, so it is left out" }));
}
