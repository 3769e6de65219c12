import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";

const cache = fileURLToPath(new URL("../.cache", import.meta.url));
const compilerOutput = z.object({ stdout: z.string() });

/** What TypeScript says of a text: a literal with a type may have no field that the type does not know. */
export async function findTypeFaults(text: string): Promise<string[]> {
  await mkdir(cache, { recursive: true });
  await using folder = await mkdtempDisposable(join(cache, "literals-"));
  const file = join(folder.path, "literals.ts");
  await writeFile(file, text);
  const compiler = createRequire(import.meta.url).resolve("typescript/package.json");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig"];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler"];
  const args = [join(dirname(compiler), "bin", "tsc"), ...options, ...modules, file];
  const found = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
  return compilerOutput
    .parse(found)
    .stdout.split("\n")
    .filter((line) => line.includes("error TS"));
}
