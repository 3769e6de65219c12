import type { LatestRun } from "../../data/syncs.ts";

const SLOT = 11;
const SLOTS = 20;

/** Distinguished by shape as well as by colour; each is at most 9 wide and 13 high, in a box that begins at `x`. */
const shapes: Readonly<Record<LatestRun["state"], (x: number) => string>> = {
  success: (x) => `M${x} 2h9v9h-9z`,
  failed: (x) => `M${x} 2l9 9M${x + 9} 2l-9 9`,
  running: (x) => `M${x} 6.5a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0`,
  waiting: (x) => `M${x + 3} 6.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0`,
  cancelled: (x) => `M${x} 5.5h9v2h-9z`,
};

/** The latest runs of a sync, the newest on the right; one path for each state, so that a cell is few nodes. */
export function RunMarks({ runs }: { runs: readonly LatestRun[] }) {
  const shown = runs.slice(0, SLOTS).toReversed();
  const paths = Map.groupBy(
    shown.map(({ state }, place) => ({ state, path: shapes[state](place * SLOT + 1) })),
    ({ state }) => state,
  );
  return (
    <svg width={shown.length * SLOT} height="13" aria-hidden="true">
      {[...paths].map(([state, marks]) => (
        <path key={state} className={state} d={marks.map(({ path }) => path).join("")} />
      ))}
    </svg>
  );
}
