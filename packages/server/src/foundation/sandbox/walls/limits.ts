import { existsSync } from "node:fs";
import { release } from "node:os";
import { PRLIMIT } from "./tools.ts";
import type { Program, StartOptions } from "./types.ts";

const MAX_DESCRIPTORS = 256;

/** The command that sets a process's limits, before its own; `tasks` only where the user id has nothing else. */
export function limit(
  { tasks }: Pick<Program, "tasks">,
  { dataLimitBytes }: StartOptions,
  { prlimit = PRLIMIT, countsTasks }: { prlimit?: string; countsTasks: boolean },
): string[] {
  if (!existsSync(PRLIMIT)) return [];
  return [
    ...[prlimit, "--core=0", `--nofile=${MAX_DESCRIPTORS}`, "--fsize=0"],
    ...(countsTasks ? [`--nproc=${tasks}`] : []),
    ...(dataLimitBytes === undefined ? [] : [`--data=${dataLimitBytes}`]),
  ];
}

/** Before Linux 5.14 the tasks of a user namespace counted among those of the user outside. */
export function countsTasksOfNamespace(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
