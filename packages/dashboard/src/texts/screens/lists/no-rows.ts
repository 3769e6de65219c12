import { counted } from "../../counted.ts";

/** A list that nothing is left of by its filters, and a search that ended early. */
const english = {
  remove: (filter: string) => `Remove ${filter}`,
  searched: (done: string, all: string, back: string) =>
    `Searched ${done} of ${counted(all, "day")}, back to ${back}.`,
  searchOn: "Continue the search",
  without: (count: string) => `0 of ${count}.`,
};

export const noRowsTexts = { english };
