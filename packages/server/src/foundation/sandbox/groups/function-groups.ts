import { spawnSync } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../errors.ts";
import type { SandboxLog } from "../types.ts";
import { ProcessGroup } from "./process-group.ts";

const CONTROLLERS = ["memory", "pids"];
const PREFIX = "functions-";
/** As `DelegateSubgroup=` of systemd names it: what is above it was given to the server. */
const SERVERS_OWN = "server";
const PROBE_TIMEOUT_MS = 5000;

export interface GroupsOptions {
  readonly memoryBytes: number;
  readonly tasks: number;
  readonly log: SandboxLog;
  /** Where cgroup v2 is mounted, and the file that says where in it this process is. */
  readonly mount?: string;
  readonly membership?: string;
}

/** Makes a group of its own for each function process, where the system lets the server do so. */
export interface FunctionGroups extends AsyncDisposable {
  /** Undefined where it fails, which is logged: the process then has the other limits alone. */
  open(): ProcessGroup | undefined;
  close(group: ProcessGroup): void;
}

/** The groups, or why there are none. */
export async function openFunctionGroups(
  options: GroupsOptions,
): Promise<{ readonly groups: FunctionGroups } | { readonly reason: string }> {
  if (process.platform !== "linux") return { reason: "cgroups are Linux's" };
  try {
    const delegated = await findDelegated(options);
    const folder = join(delegated, `${PREFIX}${process.pid}`);
    await writeFile(join(delegated, "cgroup.subtree_control"), "+memory +pids");
    await removeLeftOvers(delegated);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "cgroup.subtree_control"), "+memory +pids");
    const groups = makeGroups(folder, options);
    await using stack = new AsyncDisposableStack();
    stack.use(groups);
    probe(groups);
    stack.move();
    return { groups };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

/** The group above the server's own, when it was given to the server; throws with the reason otherwise. */
async function findDelegated({
  mount = "/sys/fs/cgroup",
  membership = "/proc/self/cgroup",
}: GroupsOptions): Promise<string> {
  const path = /^0::(.*)$/m.exec(await readFile(membership, "utf8"))?.[1] ?? "/";
  if (basename(path) !== SERVERS_OWN) {
    throw new Error(
      "no cgroup was delegated to the server, with a subgroup `server` that it is in",
    );
  }
  const delegated = join(mount, dirname(path));
  const offered = (await readFile(join(delegated, "cgroup.controllers"), "utf8")).split(/\s+/);
  const missing = CONTROLLERS.filter((name) => !offered.includes(name));
  if (missing.length > 0) {
    throw new Error(`the delegated cgroup lacks the controllers ${missing.join(" and ")}`);
  }
  for (const file of ["", "cgroup.procs", "cgroup.subtree_control"]) {
    await access(join(delegated, file), constants.W_OK);
  }
  return delegated;
}

function makeGroups(folder: string, { memoryBytes, tasks, log }: GroupsOptions): FunctionGroups {
  const limits = { "memory.max": String(memoryBytes), "pids.max": String(tasks) };
  // One of them alone would leave wrappers behind that wait for it.
  const wished = { "memory.swap.max": "0", "memory.oom.group": "1" };
  const removals = new Set<Promise<void>>();
  let opened = 0;
  return {
    open() {
      opened += 1;
      try {
        return new ProcessGroup(join(folder, String(opened)), limits, wished);
      } catch (error) {
        log("sandbox.group_failed", { reason: messageOf(error) });
        return undefined;
      }
    },
    close(group) {
      const removal = group.remove().finally(() => removals.delete(removal));
      removals.add(removal);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(removals);
      // What is still in use is left for the next start.
      await rmdir(folder).catch(() => {});
    },
  };
}

/** Throws unless a process really starts in such a group. */
function probe(groups: FunctionGroups): void {
  const group = groups.open();
  if (group === undefined) throw new Error("a group could not be limited");
  const [shell = "", ...rest] = [...group.enter, "/bin/sh", "-c", "exit 0"];
  const { status, stderr } = spawnSync(shell, rest, { timeout: PROBE_TIMEOUT_MS });
  groups.close(group);
  if (status !== 0) throw new Error(stderr.toString().trim().split("\n")[0] || "a probe failed");
}

/** Groups of servers that are no longer there. */
async function removeLeftOvers(delegated: string): Promise<void> {
  const names = (await readdir(delegated)).filter((name) => name.startsWith(PREFIX));
  for (const name of names.filter((each) => !isRunning(Number(each.slice(PREFIX.length))))) {
    const folder = join(delegated, name);
    const entries = await readdir(folder, { withFileTypes: true });
    const below = entries.filter((entry) => entry.isDirectory());
    for (const entry of below) await rmdir(join(folder, entry.name)).catch(() => {});
    await rmdir(folder).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
