import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { addImports, requireNames } from "../project/add-function-file.ts";
import { UserError } from "../user-error.ts";
import type { ActionFile } from "./plan-files.ts";
import { isAsWritten, markText } from "./source/marker.ts";
import { REQUEST_FILE } from "./source/write-action.ts";

const requestFile = fileURLToPath(
  new URL(`../../openapi-template/${REQUEST_FILE}.ts`, import.meta.url),
);

export interface WrittenFiles {
  /** Paths relative to the project. */
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  /** Changed by somebody, or not written by this command. */
  readonly kept: readonly string[];
}

interface WriteOptions {
  readonly integration: string;
  readonly force: boolean;
  readonly isDryRun: boolean;
}

/** Writes actions, what they import, and their lines in index.ts; a file that somebody changed is kept. */
export async function writeFiles(
  projectDir: string,
  actions: readonly ActionFile[],
  options: WriteOptions,
): Promise<WrittenFiles> {
  const { integration, isDryRun } = options;
  for (const { name } of actions) requireNames({ integration, name });
  const folder = `${integration}/actions`;
  await requireOwnFolder(projectDir, folder);
  const texts = [
    ...(actions.length === 0
      ? []
      : [[`${integration}/${REQUEST_FILE}.ts`, await readRequestFile()]]),
    ...actions.map(({ name, text }) => [`${folder}/${name}.ts`, text]),
  ];
  const done = { written: [] as string[], unchanged: [] as string[], kept: [] as string[] };
  for (const [path = "", text = ""] of texts) {
    const state = await compareFile(join(projectDir, path), text, options.force);
    done[state].push(path);
    if (state !== "written" || isDryRun) continue;
    await mkdir(dirname(join(projectDir, path)), { recursive: true });
    await writeFile(join(projectDir, path), text);
  }
  if (!isDryRun)
    await addImports(
      projectDir,
      actions.map(({ name }) => `./${folder}/${name}.js`),
    );
  return done;
}

async function readRequestFile(): Promise<string> {
  return markText(await readFile(requestFile, "utf8"));
}

async function compareFile(
  path: string,
  text: string,
  force: boolean,
): Promise<keyof WrittenFiles> {
  try {
    const present = await readFile(path, "utf8");
    if (present === text) return "unchanged";
    return force || isAsWritten(present) ? "written" : "kept";
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "written";
    throw error;
  }
}

/** A folder that is a link to a place outside of the project is not written to. */
async function requireOwnFolder(projectDir: string, folder: string): Promise<void> {
  const root = await realpath(projectDir);
  const [integration = ""] = folder.split("/");
  for (const path of [integration, folder]) {
    const real = await realpath(join(root, path)).catch(() => join(root, path));
    const place = relative(root, real);
    if (place !== "" && !place.startsWith("..") && !isAbsolute(place)) continue;
    throw new UserError(`${path} is a link to a folder outside of the project.`);
  }
}
