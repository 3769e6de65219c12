import { writeFilter } from "./filter/write-filter.ts";
import { countsTasksOfNamespace, limit } from "./limits.ts";
import { type PrivateRoot, planPrivateRoot, toTarget } from "./private-root.ts";
import { DIE_WITH_PARENT, dropRights } from "./set-user.ts";
import { BUBBLEWRAP, PRLIMIT, requireTool, SETPRIV, UNSHARE } from "./tools.ts";
import type { Cell, Program, Wall } from "./types.ts";

const FILTER_DESCRIPTOR = 4;

interface BubblewrapOptions {
  readonly isRoot: boolean;
  readonly dataDir: string;
  /** The profile of a container may forbid to set a host name, and nothing else that is needed. */
  readonly hidesHostName: boolean;
}

/** Bubblewrap: a root in memory, and the only tool that takes a filter of system calls on every distribution. */
export function bubblewrapWall({ isRoot, dataDir, hidesHostName }: BubblewrapOptions): Wall {
  return {
    level: "sealed",
    filtersCalls: true,
    needsUserId: isRoot,
    hasLimits: true,
    async prepare(program) {
      requireTool(BUBBLEWRAP, "bubblewrap");
      for (const tool of [SETPRIV, UNSHARE, PRLIMIT]) requireTool(tool, "util-linux");
      const root = await planPrivateRoot(program, [SETPRIV, PRLIMIT]);
      const filterFile = await writeFilter(dataDir);
      return toCell(root, program, { isRoot, hidesHostName, filterFile });
    },
  };
}

function toCell(
  root: PrivateRoot,
  program: Program,
  {
    isRoot,
    hidesHostName,
    filterFile,
  }: Omit<BubblewrapOptions, "dataDir"> & { readonly filterFile: string },
): Cell {
  // For setpriv inside, which drops them.
  const rights = ["CAP_SETPCAP", ...(isRoot ? ["CAP_SETUID", "CAP_SETGID"] : [])];
  // Bubblewrap's outer process has no right to kill another user's when it dies itself. Where there are other users, it
  // is the first process of a namespace, whose end is everyone's, and a second namespace hides it from the program. It
  // looks its child up in /proc, which must be that of its own namespace; an ordinary user may not mount one.
  const namespace = [UNSHARE, "-p", "-f", "--kill-child", "--mount-proc"];
  // An ordinary user's Bubblewrap asks for the death signal itself. With one from the beginning it could die before it
  // wakes the process inside, which then waits for it without end. Without one it finishes, and the program finds its channel
  // closed.
  const outside = [
    ...(isRoot ? [SETPRIV, DIE_WITH_PARENT, ...namespace] : []),
    ...[BUBBLEWRAP, ...(isRoot ? [] : ["--unshare-user"]), ...NAMESPACES],
    ...(hidesHostName ? ["--hostname", "function"] : []),
    ...rights.flatMap((name) => ["--cap-add", name]),
    ...writeRoot(root),
  ];
  return {
    program: root.program,
    files: root.programFiles,
    descriptors: [filterFile],
    wrap: (options) => [
      ...[...outside, "--seccomp", String(FILTER_DESCRIPTOR), "--"],
      ...dropRights(toTarget(SETPRIV), options.uid),
      ...limit(program, options, {
        prlimit: toTarget(PRLIMIT),
        countsTasks: isRoot || countsTasksOfNamespace(),
      }),
    ],
  };
}

const NAMESPACES = [
  ...["--die-with-parent", "--unshare-pid", "--as-pid-1", "--unshare-net", "--unshare-ipc"],
  ...["--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
];

function writeRoot({ folders, files, links }: PrivateRoot): string[] {
  return [
    // Folders that a mount makes by itself are closed to other users.
    ...folders.flatMap((folder) => ["--dir", folder]),
    ...files.flatMap(({ source, target }) => ["--ro-bind", source, target]),
    ...links.flatMap(({ path, target }) => ["--symlink", target, path]),
    ...["--remount-ro", "/", "--chdir", "/"],
  ];
}
