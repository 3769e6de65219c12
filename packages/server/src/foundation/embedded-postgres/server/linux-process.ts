import { spawnSync } from "node:child_process";
import { type BigIntStats, readdirSync, readFileSync, statSync } from "node:fs";
import type { DatabaseOwner } from "../cluster/database-owner.ts";
import { errorCode } from "../errors.ts";

/** The start time of a living process in clock ticks: with its id it names one process for ever. */
export function readStartTime(processId: number): string | undefined {
  const stat = readStat(processId);
  return stat === undefined || isDead(stat) ? undefined : stat.startTime;
}

/** All process ids that this process can see. */
export function listProcessIds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Those of `processIds` that are living `postgres` processes at work in the folder `cluster`. */
export function filterServersOf(
  cluster: string,
  owner: DatabaseOwner | undefined,
  processIds: readonly number[],
): number[] {
  const servers = processIds.filter(isLivingPostgres);
  const folder = statSync(cluster, { bigint: true });
  const hidden: number[] = [];
  const visible = servers.filter((processId) => {
    const workingFolder = statWorkingFolder(processId);
    if (workingFolder === "hidden") hidden.push(processId);
    return typeof workingFolder === "object" && isSameFile(workingFolder, folder);
  });
  return hidden.length === 0 ? visible : [...visible, ...askAsOwner(cluster, owner, hidden)];
}

interface ProcessStat {
  name: string;
  state: string;
  startTime: string;
}

function readStat(processId: number): ProcessStat | undefined {
  const text = readProcFile(`/proc/${processId}/stat`);
  if (text === undefined) return undefined;
  // The name is in parentheses and may hold any character; the last parenthesis closes it.
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  return {
    name: text.slice(text.indexOf("(") + 1, end),
    state: fields[0] ?? "",
    startTime: fields[19] ?? "",
  };
}

function readProcFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined; // ended meanwhile
    throw error;
  }
}

function isDead(stat: ProcessStat): boolean {
  return stat.state === "Z" || stat.state === "X";
}

function isLivingPostgres(processId: number): boolean {
  const stat = readStat(processId);
  return stat !== undefined && stat.name === "postgres" && !isDead(stat);
}

function statWorkingFolder(processId: number): BigIntStats | "hidden" | undefined {
  try {
    return statSync(`/proc/${processId}/cwd`, { bigint: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EPERM") return "hidden";
    if (code !== undefined) return undefined;
    throw error;
  }
}

function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

// Root in a container without CAP_SYS_PTRACE may not see the working folder of another user's
// process, but that user may: a shell that runs as the owner compares them all in one go.
function askAsOwner(
  cluster: string,
  owner: DatabaseOwner | undefined,
  processIds: readonly number[],
): number[] {
  if (owner === undefined) return [];
  const script = 'for id in "$@"; do [ "/proc/$id/cwd" -ef . ] && echo "$id"; done';
  const answer = spawnSync("/bin/sh", ["-c", script, "sh", ...processIds.map(String)], {
    cwd: cluster,
    uid: owner.uid,
    gid: owner.gid,
    env: {},
    encoding: "utf8",
    timeout: 5000,
  });
  if (answer.error !== undefined) throw answer.error;
  return answer.stdout.split("\n").filter(Boolean).map(Number);
}
