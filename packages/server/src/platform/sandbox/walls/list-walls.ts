import { bubblewrapWall } from "./bubblewrap-wall.ts";
import { changedRootWall } from "./changed-root-wall.ts";
import { bareWall, namespacesWall, noNewRightsWall, usersWall } from "./plain-walls.ts";
import type { Wall } from "./types.ts";

/** What could work here, most isolated first; the last needs nothing. */
export function listWalls(dataDir: string): Wall[] {
  if (process.platform !== "linux") return [bareWall()];
  const isRoot = process.getuid?.() === 0;
  return [
    bubblewrapWall({ isRoot, dataDir, hidesHostName: true }),
    bubblewrapWall({ isRoot, dataDir, hidesHostName: false }),
    changedRootWall({ isRoot, dataDir }),
    namespacesWall({ isRoot }),
    ...(isRoot ? [usersWall()] : []),
    noNewRightsWall(),
    bareWall(),
  ];
}
