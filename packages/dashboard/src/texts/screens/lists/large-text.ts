import { counted } from "../../counted.ts";

/** Texts of megabytes, such as a large record. */
const english = {
  search: "Search in this text",
  previous: "Previous match",
  next: "Next match",
  notFound: "Not found",
  found: (at: string, all: string) => `${at} of ${all}`,
  lines: (count: string) => counted(count, "line"),
  reading: (count: string) => `Reading, ${counted(count, "line")} so far`,
};

export const largeTexts = { english };
