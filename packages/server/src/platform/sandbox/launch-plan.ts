import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";

/** How function processes are started on this machine. */
export interface LaunchPlan {
  readonly mode: "namespaces" | "permissions";
  /** Wrapper commands with absolute paths; the program's own command follows. */
  readonly wrapper: readonly string[];
  /** Pass program and runner as open files: another user may not be able to reach their folders. */
  readonly byDescriptor: boolean;
  /** Cap on writable memory; absent where `prlimit` is. */
  readonly dataLimitBytes?: number;
}

export interface LaunchOptions {
  readonly runnerFile: string;
  readonly heapMb: number;
}

/** Not the uid of the embedded database (`nobody`): a function must not reach its files or socket. */
const FUNCTION_UID = 65533;
const SETPRIV = "/usr/bin/setpriv";
const UNSHARE = "/usr/bin/unshare";
export const PRLIMIT = "/usr/bin/prlimit";

// Changing the uid clears the death signal, so that both setpriv calls ask for it.
const DIE_WITH_PARENT = "--pdeathsig=KILL";
const DROP_USER = [
  `--reuid=${FUNCTION_UID}`,
  `--regid=${FUNCTION_UID}`,
  "--clear-groups",
  "--inh-caps=-all",
];
const DROP_RIGHTS = ["--bounding-set=-all", "--no-new-privs", DIE_WITH_PARENT];
const NEW_NAMESPACES = ["-n", "-i", "-p", "-f", "--kill-child"];

/** What could work here, most isolated first; the last needs nothing. */
export function candidatePlans(): LaunchPlan[] {
  const bare: LaunchPlan = { mode: "permissions", wrapper: [], byDescriptor: false };
  if (process.platform !== "linux" || !existsSync(SETPRIV)) return [bare];
  if (process.getuid?.() !== 0) {
    return [
      {
        mode: "namespaces",
        wrapper: [
          ...[SETPRIV, DIE_WITH_PARENT, UNSHARE, "-U", "-c", ...NEW_NAMESPACES],
          ...[SETPRIV, ...DROP_RIGHTS],
        ],
        byDescriptor: false,
      },
      {
        mode: "permissions",
        wrapper: [SETPRIV, "--no-new-privs", DIE_WITH_PARENT],
        byDescriptor: false,
      },
      bare,
    ];
  }
  const dropped = [SETPRIV, ...DROP_USER, ...DROP_RIGHTS];
  return [
    {
      mode: "namespaces",
      wrapper: [SETPRIV, DIE_WITH_PARENT, UNSHARE, ...NEW_NAMESPACES, ...dropped],
      byDescriptor: true,
    },
    { mode: "permissions", wrapper: dropped, byDescriptor: true },
    bare,
  ];
}

export function canLimitData(plan: LaunchPlan): boolean {
  return plan.wrapper.length > 0 && existsSync(PRLIMIT);
}

/** Starts a function process: stderr is a pipe, the channel is descriptor 3, the environment is empty. */
export function launch(plan: LaunchPlan, options: LaunchOptions): ChildProcess {
  const limits =
    plan.dataLimitBytes === undefined
      ? []
      : [PRLIMIT, `--data=${plan.dataLimitBytes}`, "--core=0", "--nofile=256"];
  const flags = [
    "--permission",
    "--no-experimental-sqlite",
    "--disallow-code-generation-from-strings",
    `--max-old-space-size=${options.heapMb}`,
    "--max-semi-space-size=8",
  ];
  if (!plan.byDescriptor) {
    return start([...plan.wrapper, ...limits, process.execPath, ...flags, options.runnerFile], []);
  }
  const files = [openSync(process.execPath, "r"), openSync(options.runnerFile, "r")];
  try {
    // The links of /proc/self/fd open without the right to walk the folders above the file.
    const program = ["/proc/self/fd/4", ...flags, "--preserve-symlinks-main", "/proc/self/fd/5"];
    return start([...plan.wrapper, ...limits, ...program], files);
  } finally {
    for (const file of files) closeSync(file);
  }
}

function start(command: readonly string[], files: readonly number[]): ChildProcess {
  const [program = process.execPath, ...rest] = command;
  const stdio: StdioOptions = ["ignore", "ignore", "pipe", "pipe", ...files];
  return spawn(program, rest, { env: {}, cwd: "/", stdio, windowsHide: true });
}
