import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { writeWhole } from "../write-whole.ts";
import { compileCallFilter } from "./call-filter.ts";
import { countsTasksOfNamespace, limit } from "./limits.ts";
import { type PrivateRoot, planPrivateRoot, toTarget } from "./private-root.ts";
import { DIE_WITH_PARENT, dropRights } from "./set-user.ts";
import { BUBBLEWRAP, PRLIMIT, requireTool, SETPRIV, UNSHARE } from "./tools.ts";
import type { Cell, Program, Wall } from "./types.ts";

const FILTER_DESCRIPTOR = 4;

/** Bubblewrap: a root in memory, and the only tool that takes a filter of system calls on every distribution. */
export function bubblewrapWall({ isRoot, dataDir }: { isRoot: boolean; dataDir: string }): Wall {
  return {
    level: "sealed",
    needsUserId: isRoot,
    hasLimits: true,
    async prepare(program) {
      requireTool(BUBBLEWRAP, "bubblewrap");
      for (const tool of [SETPRIV, UNSHARE, PRLIMIT]) requireTool(tool, "util-linux");
      const root = await planPrivateRoot(program, [SETPRIV, PRLIMIT]);
      return toCell(root, program, { isRoot, filterFile: await writeFilter(dataDir) });
    },
  };
}

function toCell(
  root: PrivateRoot,
  program: Program,
  { isRoot, filterFile }: { isRoot: boolean; filterFile: string },
): Cell {
  // For setpriv inside, which drops them.
  const rights = ["CAP_SETPCAP", ...(isRoot ? ["CAP_SETUID", "CAP_SETGID"] : [])];
  // Bubblewrap's outer process has no right to kill another user's when it dies itself. So it is the first process of a
  // namespace, whose end is everyone's, and a second namespace hides it from the program.
  const outside = [
    ...[SETPRIV, DIE_WITH_PARENT, UNSHARE, ...(isRoot ? [] : ["-U", "-r"])],
    ...["-p", "-f", "--kill-child"],
    ...[BUBBLEWRAP, ...NAMESPACES, ...rights.flatMap((name) => ["--cap-add", name])],
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
  ...["--unshare-uts", "--hostname", "function", "--unshare-cgroup-try", "--cap-drop", "ALL"],
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

async function writeFilter(dataDir: string): Promise<string> {
  const filter = compileCallFilter();
  if (filter === undefined) throw new Error(`no filter of system calls for ${process.arch}`);
  const folder = resolve(dataDir, "cache");
  await mkdir(folder, { recursive: true });
  const hash = createHash("sha256").update(filter).digest("hex").slice(0, 16);
  const file = resolve(folder, `calls-${hash}.bpf`);
  await writeWhole(file, filter);
  return file;
}
