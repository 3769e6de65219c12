import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareRunnerFile } from "../launch/runner-file.ts";

/** Of this checkout, next to what Node has compiled of it. */
const shared = fileURLToPath(
  new URL("../../../../../../node_modules/.cache/runner", import.meta.url),
);

/**
 * Puts the program of a function's process into a data folder, where a server finds it as one that it has made
 * itself. Bundling it takes half a second, which each test file and each server of a test would spend again.
 */
export async function seedRunnerFile(dataDir: string): Promise<void> {
  const made = await prepareRunnerFile(shared);
  const folder = join(dataDir, "cache");
  await mkdir(folder, { recursive: true });
  const file = join(folder, basename(made));
  await copyFile(made, file);
  const index = JSON.parse(await readFile(join(shared, "cache", "runner.json"), "utf8"));
  await writeFile(join(folder, "runner.json"), JSON.stringify({ ...index, file }));
}
