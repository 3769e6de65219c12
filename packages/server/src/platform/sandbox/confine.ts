import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { canLimitData, type LaunchPlan, PRLIMIT } from "./launch-plan.ts";
import { writeWhole } from "./runner-file.ts";

const DATA_LIMIT_BYTES = 512 * 1024 * 1024;

/**
 * An executable in `<dataDir>/cache` that starts `program` as the plan starts function processes, with whatever
 * arguments it is given; `program` itself where the plan has nothing to put before it.
 */
export async function confineProgram(
  plan: LaunchPlan,
  { program, dataDir }: { program: string; dataDir: string },
): Promise<string> {
  if (plan.wrapper.length === 0) return program;
  const limits = canLimitData(plan)
    ? [PRLIMIT, `--data=${DATA_LIMIT_BYTES}`, "--core=0", "--nofile=256"]
    : [];
  // The link of /proc/self/fd opens without the right to walk the folders above the program.
  const command = [...plan.wrapper, ...limits, "/proc/self/fd/4"].map(quote).join(" ");
  const script = `#!/bin/sh\nexec 4<${quote(program)}\nexec ${command} "$@"\n`;
  const folder = join(dataDir, "cache");
  await mkdir(folder, { recursive: true });
  const hash = createHash("sha256").update(script).digest("hex").slice(0, 16);
  const file = join(folder, `confined-${hash}.sh`);
  await writeWhole(file, script, 0o700);
  return file;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
