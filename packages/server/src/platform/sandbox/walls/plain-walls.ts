import { limit } from "./limits.ts";
import { DIE_WITH_PARENT, dropRights } from "./set-user.ts";
import { PRLIMIT, requireTool, SETPRIV, UNSHARE } from "./tools.ts";
import type { Cell, Program, StartOptions, Wall } from "./types.ts";

const NAMESPACES = ["-n", "-i", "-u", "-p", "-f", "--kill-child"];

/** Namespaces in the machine's own root, where mounts are forbidden. */
export function namespacesWall({ isRoot }: { isRoot: boolean }): Wall {
  const flags = isRoot ? NAMESPACES : ["-U", "-c", ...NAMESPACES];
  return {
    level: "namespaces",
    needsUserId: isRoot,
    hasLimits: true,
    prepare: async (program) => {
      for (const tool of [SETPRIV, UNSHARE, PRLIMIT]) requireTool(tool, "util-linux");
      return toCell(program, {
        isRoot,
        wrap: ({ uid }) => [
          ...[SETPRIV, DIE_WITH_PARENT, UNSHARE, ...flags],
          ...dropRights(SETPRIV, uid),
        ],
      });
    },
  };
}

/** A user id for each process; all that a container without rights over the system allows. */
export function usersWall(): Wall {
  return {
    level: "users",
    needsUserId: true,
    hasLimits: true,
    prepare: async (program) => {
      for (const tool of [SETPRIV, PRLIMIT]) requireTool(tool, "util-linux");
      return toCell(program, { isRoot: true, wrap: ({ uid }) => dropRights(SETPRIV, uid) });
    },
  };
}

/** Only the flag by which no program that is executed gains rights. */
export function noNewRightsWall(): Wall {
  return {
    level: "permissions",
    needsUserId: false,
    hasLimits: true,
    prepare: async (program) => {
      for (const tool of [SETPRIV, PRLIMIT]) requireTool(tool, "util-linux");
      const wrap = () => [SETPRIV, "--no-new-privs", DIE_WITH_PARENT];
      return toCell(program, { isRoot: false, wrap });
    },
  };
}

/** Works on every system. */
export function bareWall(): Wall {
  return {
    level: "permissions",
    needsUserId: false,
    hasLimits: false,
    prepare: async ({ path, files }) => ({ program: path, files, descriptors: [], wrap: () => [] }),
  };
}

function toCell(
  program: Program,
  how: { isRoot: boolean; wrap: (options: StartOptions) => string[] },
): Cell {
  const wrap = (options: StartOptions) => [
    ...how.wrap(options),
    ...limit(program, options, { countsTasks: how.isRoot }),
  ];
  if (!how.isRoot) return { program: program.path, files: program.files, descriptors: [], wrap };
  // Another user may not be able to reach the folders of the files; the links of /proc/self/fd open without.
  const descriptors = [program.path, ...program.files];
  const [path = "", ...files] = descriptors.map((_, index) => `/proc/self/fd/${index + 4}`);
  return { program: path, files, descriptors, wrap };
}
