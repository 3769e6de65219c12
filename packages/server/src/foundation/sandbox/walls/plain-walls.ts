import { filterCalls } from "./filter/filter-calls.ts";
import { writeFilter } from "./filter/write-filter.ts";
import { limit } from "./limits.ts";
import { DIE_WITH_PARENT, dropRights } from "./set-user.ts";
import { PRLIMIT, requireTool, SETPRIV, UNSHARE } from "./tools.ts";
import type { Cell, Program, StartOptions, Wall } from "./types.ts";

const NAMESPACES = ["-n", "-i", "-u", "-p", "-f", "--kill-child"];

/** What walls without a root of their own may have besides. */
export interface PlainOptions {
  /** Where the filter of system calls is kept; undefined where `setpriv` takes none. */
  readonly filterIn: string | undefined;
  /** Instead of the system's. */
  readonly setpriv?: string;
}

/** Namespaces in the machine's own root, where mounts are forbidden. */
export function namespacesWall({ isRoot, ...options }: PlainOptions & { isRoot: boolean }): Wall {
  const flags = isRoot ? NAMESPACES : ["-U", "-c", ...NAMESPACES];
  return toWall(options, {
    ...{ level: "namespaces", tools: [UNSHARE], isRoot },
    wrap: (setpriv, { uid }) => [
      ...[setpriv, DIE_WITH_PARENT, UNSHARE, ...flags],
      ...dropRights(setpriv, uid),
    ],
  });
}

/** A user id for each process; all that a container without rights over the system allows. */
export function usersWall(options: PlainOptions): Wall {
  return toWall(options, {
    ...{ level: "users", tools: [], isRoot: true },
    wrap: (setpriv, { uid }) => dropRights(setpriv, uid),
  });
}

/** Only the flag by which no program that is executed gains rights. */
export function noNewRightsWall(options: PlainOptions): Wall {
  return toWall(options, {
    ...{ level: "permissions", tools: [], isRoot: false },
    wrap: (setpriv) => [setpriv, "--no-new-privs", DIE_WITH_PARENT],
  });
}

/** Works on every system. */
export function bareWall(): Wall {
  return {
    level: "permissions",
    filtersCalls: false,
    needsUserId: false,
    hasLimits: false,
    prepare: async ({ path, files }) => ({ program: path, files, descriptors: [], wrap: () => [] }),
  };
}

interface Plain {
  readonly level: Wall["level"];
  /** Besides those that all of them need. */
  readonly tools: readonly string[];
  readonly isRoot: boolean;
  readonly wrap: (setpriv: string, options: StartOptions) => string[];
}

function toWall({ filterIn, setpriv = SETPRIV }: PlainOptions, plain: Plain): Wall {
  return {
    level: plain.level,
    filtersCalls: filterIn !== undefined,
    needsUserId: plain.isRoot,
    hasLimits: true,
    async prepare(program) {
      for (const tool of [setpriv, PRLIMIT, ...plain.tools]) requireTool(tool, "util-linux");
      const filter = filterIn === undefined ? undefined : await writeFilter(filterIn);
      return toCell(program, { ...plain, setpriv, filter });
    },
  };
}

function toCell(
  program: Program,
  how: Plain & { readonly setpriv: string; readonly filter: string | undefined },
): Cell {
  const { isRoot, setpriv } = how;
  const filters = how.filter === undefined ? [] : [how.filter];
  // Another user may not be able to reach the folders of the files; the links of /proc/self/fd open without.
  const descriptors = isRoot ? [program.path, ...program.files, ...filters] : [];
  const reach = (path: string) => {
    return isRoot ? `/proc/self/fd/${descriptors.indexOf(path) + 4}` : path;
  };
  const wrap = (options: StartOptions) => [
    ...how.wrap(setpriv, options),
    ...filters.flatMap((file) => filterCalls(setpriv, reach(file))),
    ...limit(program, options, { countsTasks: isRoot }),
  ];
  return { program: reach(program.path), files: program.files.map(reach), descriptors, wrap };
}
