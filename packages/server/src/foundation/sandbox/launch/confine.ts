import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LaunchPlan } from "./launch.ts";
import { writeWhole } from "./write-whole.ts";

const DATA_LIMIT_BYTES = 512 * 1024 * 1024;
/** Programs with a thread for each core have more than Node. */
const MAX_TASKS = 512;
const UID = "@uid@";

/**
 * An executable in `<dataDir>/cache` that starts `program` as the plan starts function processes, with all
 * arguments that it gets; `program` itself where the plan has nothing to put before it.
 */
export async function confineProgram(
  { wall, userIds }: LaunchPlan,
  { program, dataDir, readsFolder }: { program: string; dataDir: string; readsFolder: boolean },
): Promise<string> {
  const cell = await wall.prepare({ path: program, files: [], readsFolder, tasks: MAX_TASKS });
  const uid = userIds === undefined ? undefined : UID;
  const wrapper = cell.wrap({ uid, dataLimitBytes: DATA_LIMIT_BYTES });
  if (wrapper.length === 0) return program;
  const { first, count } = userIds?.scripted ?? { first: 0, count: 1 };
  const script = [
    "#!/bin/sh",
    // Two processes at once have different numbers, and so most likely different user ids.
    `uid=$((${first} + $$ % ${count}))`,
    ...cell.descriptors.map((path, index) => `exec ${index + 4}<${quote(path)}`),
    `exec ${[...wrapper, cell.program].map(quote).join(" ")} "$@"\n`,
  ].join("\n");
  const folder = join(dataDir, "cache");
  await mkdir(folder, { recursive: true });
  const hash = createHash("sha256").update(script).digest("hex").slice(0, 16);
  const file = join(folder, `confined-${hash}.sh`);
  await writeWhole(file, script, 0o700);
  return file;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`.replaceAll(UID, `'"$uid"'`);
}
