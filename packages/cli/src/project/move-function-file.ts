import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProjectFile } from "@jackfield/functions/compile";
import { UserError } from "../user-error.ts";
import { requireNames } from "./add-function-file.ts";

/** Deletes a function's file, its line in index.ts and what was recorded of it; returns the paths that are gone. */
export async function removeFunctionFile(
  projectDir: string,
  fn: ProjectFile,
  others: readonly ProjectFile[],
): Promise<string[]> {
  const gone = [fn.file, ...listBeside(projectDir, fn, others)];
  await changeIndex(projectDir, fn, () => undefined);
  for (const path of gone) await rm(join(projectDir, path));
  return gone;
}

/** Gives a function's file another name, and its line in index.ts and what was recorded of it; returns the new paths. */
export async function renameFunctionFile(
  projectDir: string,
  { fn, name, others }: { fn: ProjectFile; name: string; others: readonly ProjectFile[] },
): Promise<string[]> {
  requireNames({ integration: fn.integrationId, name });
  const moves = [fn.file, ...listBeside(projectDir, fn, others)].map((from) => ({
    from,
    to: `${dirname(from)}/${name}${from.slice(dirname(from).length + 1 + fn.functionName.length)}`,
  }));
  const taken = moves.find(({ to }) => existsSync(join(projectDir, to)));
  if (taken !== undefined) {
    throw new UserError(`${taken.to} exists; nothing was changed. Choose another name.`);
  }
  const own = toSpecifier(fn.file);
  const next = `${dirname(own)}/${name}.js`;
  for (const { from, to } of moves) {
    await mkdir(dirname(join(projectDir, to)), { recursive: true });
    await rename(join(projectDir, from), join(projectDir, to));
    if (from.endsWith(".test.json")) await renameInRecording(join(projectDir, to), name);
    if (from.endsWith(".test.ts")) await renameInTest(join(projectDir, to), fn.functionName, name);
  }
  await changeIndex(projectDir, fn, (line) => line.replace(own, next));
  return moves.map(({ to }) => to);
}

/** Recordings are found by the function's name, so one of another kind with that name keeps them. */
function listBeside(
  projectDir: string,
  { integrationId, functionName, file }: ProjectFile,
  others: readonly ProjectFile[],
): string[] {
  const isShared = others.some(
    (other) =>
      other.file !== file &&
      other.integrationId === integrationId &&
      other.functionName === functionName,
  );
  if (isShared) return [];
  return [".test.json", ".test.ts"]
    .map((ending) => `${integrationId}/tests/${functionName}${ending}`)
    .filter((path) => existsSync(join(projectDir, path)));
}

/** As index.ts imports it, without the dot. */
function toSpecifier(file: string): string {
  return `/${file.replace(/\.ts$/, ".js")}`;
}

async function changeIndex(
  projectDir: string,
  { file }: ProjectFile,
  change: (line: string) => string | undefined,
): Promise<void> {
  const path = join(projectDir, "index.ts");
  const own = toSpecifier(file);
  const names = [own, own.replace(/\.js$/, ".ts")].flatMap((name) => [`.${name}"`, `.${name}'`]);
  const lines = (await readFile(path, "utf8")).split("\n").flatMap((line) => {
    if (!names.some((name) => line.includes(name))) return [line];
    return change(line) ?? [];
  });
  await writeFile(path, lines.join("\n"));
}

async function renameInRecording(path: string, name: string): Promise<void> {
  const recording: unknown = JSON.parse(await readFile(path, "utf8"));
  // A recording of another platform's format does not name the function.
  if (typeof recording !== "object" || recording === null || !("function" in recording)) return;
  await writeFile(path, `${JSON.stringify({ ...recording, function: name }, undefined, 2)}\n`);
}

/** The paths of the function and of its recording, as `jackfield generate tests` writes them. */
async function renameInTest(path: string, before: string, name: string): Promise<void> {
  const text = await readFile(path, "utf8");
  const changed = ["syncs", "actions", "on-events"]
    .reduce((rest, kind) => rest.replaceAll(`${kind}/${before}.js`, `${kind}/${name}.js`), text)
    .replaceAll(`./${before}.test.json`, `./${name}.test.json`);
  await writeFile(path, changed);
}
