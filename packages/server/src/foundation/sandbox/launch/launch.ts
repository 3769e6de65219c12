import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { FunctionGroups } from "../groups/function-groups.ts";
import type { Cell, UserIds, Wall } from "../walls/index.ts";

/** How function processes are started on this machine. */
export interface LaunchPlan {
  readonly wall: Wall;
  readonly cell: Cell;
  /** Cap on writable memory; absent where no limit can be set. */
  readonly dataLimitBytes?: number;
  readonly userIds?: UserIds | undefined;
  /** A group of cgroup v2 for each process; absent where the system gives none. */
  readonly groups?: FunctionGroups | undefined;
}

const FLAGS = [
  "--permission",
  "--no-experimental-sqlite",
  "--disallow-code-generation-from-strings",
  // Memory that is given without being cleared would show what another connection's run had in it.
  "--zero-fill-buffers",
  "--max-semi-space-size=8",
];
/** The zone of this machine, whose files the process may not see. */
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** Each function process leads a process group of its own; a signal from the terminal does not reach it. */
const hasGroups = process.platform !== "win32";

/**
 * Starts a function process: stderr is a pipe, the channel is descriptor 3, and the environment holds the time zone.
 * Its user id is free again when it is gone.
 */
export function launch(plan: LaunchPlan, { heapMb }: { heapMb: number }): ChildProcess {
  const [runner = ""] = plan.cell.files;
  const isLink = runner.startsWith("/proc/");
  return startIn(plan, plan.cell, [
    ...[...FLAGS, `--max-old-space-size=${heapMb}`],
    ...(isLink ? ["--preserve-symlinks-main"] : []),
    runner,
  ]);
}

/** Starts the program in the cell with a user id of its own, where the plan has them. */
export function startIn(
  { userIds, dataLimitBytes, groups }: Pick<LaunchPlan, "userIds" | "dataLimitBytes" | "groups">,
  cell: Cell,
  parameters: readonly string[],
): ChildProcess {
  const uid = userIds?.take();
  if (userIds !== undefined && uid === undefined) {
    throw new Error("every user id for function processes is in use");
  }
  const group = groups?.open();
  const release = () => {
    if (uid !== undefined) userIds?.release(uid);
    if (group !== undefined) groups?.close(group);
  };
  try {
    const wrapped = [...cell.wrap({ uid, dataLimitBytes }), cell.program, ...parameters];
    const child = start([...(group?.enter ?? []), ...wrapped], cell.descriptors);
    if (child.pid === undefined) release();
    else child.once("exit", release);
    return child;
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Kills the process with all that its wrappers have started. The wrapper alone is not enough: until it has tied the
 * process inside to its own death, that one would wait for it without end, with our pipes open.
 */
export function killLaunched(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(hasGroups ? -child.pid : child.pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}

function start(command: readonly string[], paths: readonly string[]): ChildProcess {
  const [program = process.execPath, ...rest] = command;
  const files: number[] = [];
  const open = (path: string) => {
    const file = openSync(path, "r");
    files.push(file);
    return file;
  };
  try {
    const stdio: StdioOptions = ["ignore", "ignore", "pipe", "pipe", ...paths.map(open)];
    const inherited = listInherited().filter((descriptor) => descriptor >= stdio.length);
    const empty = inherited.length === 0 ? "ignore" : open("/dev/null");
    for (const descriptor of inherited) {
      while (stdio.length < descriptor) stdio.push("ignore");
      stdio.push(empty);
    }
    const options = { env: { TZ: timeZone }, cwd: "/", stdio, windowsHide: true };
    return spawn(program, rest, { ...options, detached: hasGroups });
  } finally {
    for (const file of files) closeSync(file);
  }
}

const CLOSES_ON_EXEC = 0o2000000;
// Process-wide: the descriptors are.
let known: readonly number[] | undefined;

/**
 * Descriptors that this process inherited open, in ascending order: every process that it starts has them
 * too, unless something else takes their place. Child processes do not get those that Node opens itself.
 */
function listInherited(): readonly number[] {
  known ??= process.platform === "linux" ? readInherited() : [];
  return known;
}

function readInherited(): number[] {
  const descriptors = readdirSync("/proc/self/fd").map(Number);
  return descriptors
    .filter((descriptor) => descriptor > 2 && isKept(descriptor))
    .sort((a, b) => a - b);
}

function isKept(descriptor: number): boolean {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
    const flags = /^flags:\s+([0-7]+)$/m.exec(text)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
  } catch {
    return false; // it was open only for the listing
  }
}
