import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareRunnerFile } from "../launch/runner-file.ts";

/** Of this checkout, next to what Node has compiled of it. */
const shared = fileURLToPath(
  new URL("../../../../../../node_modules/.cache/runner", import.meta.url),
);

/**
 * Puts the programs of functions' and scripts' processes into a data folder, where a server finds them as some that it has made
 * itself. Bundling them takes half a second, which each test file and each server of a test would spend again.
 */
export async function seedRunnerFile(dataDir: string): Promise<void> {
  const folder = join(dataDir, "cache");
  await mkdir(folder, { recursive: true });
  for (const [kind, name] of [
    ["function", "runner.json"],
    ["script", "script-runner.json"],
  ] as const) {
    const made = await prepareRunnerFile(shared, kind);
    const file = join(folder, basename(made));
    await copyFile(made, file);
    const index = JSON.parse(await readFile(join(shared, "cache", name), "utf8"));
    await writeFile(join(folder, name), JSON.stringify({ ...index, file }));
  }
}
