import { bubblewrapWall } from "./bubblewrap-wall.ts";
import { changedRootWall } from "./changed-root-wall.ts";
import { takesFilter } from "./filter/filter-calls.ts";
import { bareWall, namespacesWall, noNewRightsWall, usersWall } from "./plain-walls.ts";
import { SETPRIV } from "./tools.ts";
import type { Wall } from "./types.ts";

/** What could work here, most isolated first; the last needs nothing. */
export function listWalls(dataDir: string, setpriv: string = SETPRIV): Wall[] {
  if (process.platform !== "linux") return [bareWall()];
  const isRoot = process.getuid?.() === 0;
  // Each with its filter of system calls first, where setpriv takes one.
  const filters = takesFilter(setpriv) ? [dataDir, undefined] : [undefined];
  return [
    bubblewrapWall({ isRoot, dataDir, hidesHostName: true }),
    bubblewrapWall({ isRoot, dataDir, hidesHostName: false }),
    ...filters.map((filterIn) =>
      changedRootWall({ isRoot, dataDir, setpriv, filtersCalls: filterIn !== undefined }),
    ),
    ...filters.map((filterIn) => namespacesWall({ isRoot, setpriv, filterIn })),
    ...(isRoot ? filters.map((filterIn) => usersWall({ setpriv, filterIn })) : []),
    ...filters.map((filterIn) => noNewRightsWall({ setpriv, filterIn })),
    bareWall(),
  ];
}
