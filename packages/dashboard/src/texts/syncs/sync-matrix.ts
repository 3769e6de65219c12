import { counted } from "../counted.ts";

/** Connections by syncs. */
const english = {
  /** Of a cell: which sync it is of, its state, and how its latest runs ended. */
  cell: (sync: string, connection: string, state: string, runs: string) =>
    `${sync} for ${connection}: ${state}; ${runs}`,
  runs: (count: string, ended: string) => `${counted(count, "run")} (${ended})`,
  noRuns: "no run yet",
  about:
    "A row for each connection, a column for each sync: its last 20 runs, the newest on the right.",
  cut: (shown: string, all: string) =>
    `Columns: the first ${shown} of ${all}. Filter by integration to see other syncs.`,
};

/** Loaded with the screens that show them. */
export const syncMatrixTexts = { english };
