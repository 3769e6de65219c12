import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import type { Diagnostic } from "./diagnostic.ts";

const OUR_SOURCES = import.meta.url.endsWith(".ts")
  ? resolve(import.meta.dirname, "../../..") + sep
  : undefined;
const MAX_OUTPUT_BYTES = 20 * 1024 * 1024;

/** Runs the TypeScript compiler over a project with its own tsconfig.json; no result means no error. */
export async function checkTypes(root: string): Promise<Diagnostic[]> {
  if (!existsSync(join(root, "tsconfig.json"))) {
    return [{ message: "tsconfig.json is missing; `jackfield init` writes one" }];
  }
  const args = [findCompiler(root), "-p", root, "--noEmit", "--pretty", "false"];
  const { code, output } = await run(args, root);
  const diagnostics = parseDiagnostics(output);
  const own = diagnostics.filter(({ file }) => file === undefined || !isOurs(resolve(root, file)));
  if (code === 0 || diagnostics.length > 0) return own;
  return [{ message: `the TypeScript compiler failed: ${output.trim().slice(0, 2000)}` }];
}

/** In the checkout our packages are sources, to which a project's own settings do not apply. */
function isOurs(file: string): boolean {
  return (
    OUR_SOURCES !== undefined && file.startsWith(OUR_SOURCES) && file.includes(`${sep}src${sep}`)
  );
}

/** The project's TypeScript if it has one, else ours. */
function findCompiler(root: string): string {
  for (const from of [join(root, "package.json"), import.meta.url]) {
    try {
      const manifest = createRequire(from).resolve("typescript/package.json");
      return join(dirname(manifest), "bin", "tsc");
    } catch {
      // not installed there
    }
  }
  throw new Error("TypeScript is not installed: npm install --save-dev typescript");
}

function run(args: string[], cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd, maxBuffer: MAX_OUTPUT_BYTES };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}

function parseDiagnostics(output: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const line of output.split("\n")) {
    const match = /(?:^|\((\d{1,9}),(\d{1,9})\): )error (TS\d{1,9}: .*)$/s.exec(line.trimEnd());
    const last = diagnostics.at(-1);
    if (match !== null) {
      const [, row, column, message = ""] = match;
      const file = line.slice(0, match.index);
      const place = row === undefined ? {} : { file, line: Number(row), column: Number(column) };
      diagnostics.push({ ...place, message });
    } else if (last !== undefined && line.startsWith("  ")) {
      diagnostics[diagnostics.length - 1] = {
        ...last,
        message: `${last.message}\n${line.trimEnd()}`,
      };
    }
  }
  return diagnostics;
}
