import { createHash } from "node:crypto";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writeWhole } from "../launch/write-whole.ts";
import { filterCalls } from "./filter/filter-calls.ts";
import { writeFilter } from "./filter/write-filter.ts";
import { countsTasksOfNamespace, limit } from "./limits.ts";
import { type PrivateRoot, planPrivateRoot, type RootFile, toTarget } from "./private-root.ts";
import { DIE_WITH_PARENT, dropRights } from "./set-user.ts";
import { MOUNT, PRLIMIT, requireTool, SETPRIV, UNSHARE } from "./tools.ts";
import type { Wall } from "./types.ts";

const FLAGS = "bind,ro,nosuid,nodev";
const NAMESPACES = ["-m", "-n", "-i", "-u", "-C", "-p", "-f", "--kill-child"];
/**
 * One call mounts everything. Within a changed root, the kernel makes no user namespace, and a process without
 * rights gets no way back.
 */
const ENTER = `table=$1 root=$2; shift 2; ${MOUNT} -a -T "$table" && exec ${UNSHARE} -R "$root" -w / "$@"`;

export interface ChangedRootOptions {
  readonly isRoot: boolean;
  readonly dataDir: string;
  /** By a `setpriv` that can. */
  readonly filtersCalls: boolean;
  /** Instead of the system's. */
  readonly setpriv?: string;
}

/** The same root by util-linux alone: files mounted over empty ones of a folder kept for it. */
export function changedRootWall({
  isRoot,
  dataDir,
  filtersCalls,
  setpriv = SETPRIV,
}: ChangedRootOptions): Wall {
  return {
    level: filtersCalls ? "sealed" : "private-root",
    filtersCalls,
    needsUserId: isRoot,
    hasLimits: true,
    async prepare(program) {
      for (const tool of [setpriv, UNSHARE, PRLIMIT, MOUNT]) requireTool(tool, "util-linux");
      const filters = filtersCalls ? [await writeFilter(dataDir)] : [];
      const files = [...program.files, ...filters];
      const root = await planPrivateRoot({ ...program, files }, [setpriv, PRLIMIT]);
      const { folder, table } = await writeSkeleton(root, dataDir);
      const namespaces = isRoot ? NAMESPACES : ["-U", "-r", ...NAMESPACES];
      return {
        program: root.program,
        files: root.programFiles.slice(0, program.files.length),
        descriptors: [],
        wrap: (options) => [
          ...[setpriv, DIE_WITH_PARENT, UNSHARE, ...namespaces],
          ...["/bin/sh", "-c", ENTER, "sh", table, folder],
          ...dropRights(toTarget(setpriv), options.uid),
          ...filters.flatMap((file) => filterCalls(toTarget(setpriv), toTarget(file))),
          ...limit(program, options, {
            prlimit: toTarget(PRLIMIT),
            countsTasks: isRoot || countsTasksOfNamespace(),
          }),
        ],
      };
    },
  };
}

async function writeSkeleton(root: PrivateRoot, dataDir: string) {
  const hash = createHash("sha256").update(JSON.stringify(root)).digest("hex").slice(0, 16);
  const folder = resolve(dataDir, "cache", `root-${hash}`);
  for (const name of ["", ...root.folders]) {
    await mkdir(join(folder, name), { recursive: true });
    // Regardless of the umask: other users walk through.
    await chmod(join(folder, name), 0o755);
  }
  for (const { target, isFolder } of root.files) {
    if (isFolder) await mkdir(join(folder, target), { recursive: true });
    else await writeFile(join(folder, target), "");
  }
  for (const { path, target } of root.links) {
    await symlink(target, join(folder, path)).catch(requireExisting);
  }
  const table = `${folder}.mounts`;
  const mounts: RootFile[] = [{ source: folder, target: "", isFolder: true }, ...root.files];
  const lines = mounts.map(({ source, target }) => {
    return `${escapePath(resolve(source))} ${escapePath(join(folder, target))} none ${FLAGS} 0 0\n`;
  });
  await writeWhole(table, lines.join(""));
  return { folder, table };
}

/** Two processes may share the folder. */
function requireExisting(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}

/** As fstab(5) has it. */
function escapePath(path: string): string {
  return path.replace(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
