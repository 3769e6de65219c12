import { counted } from "../../counted.ts";

/** A value as a tree. */
const english = {
  asTree: "As a tree",
  asText: "As text",
  object: (count: string) => `{ ${counted(count, "field")} }`,
  list: (count: string) => `[ ${counted(count, "entry", "entries")} ]`,
  left: (count: string) => `${count} more; the text has them all`,
};

/** Loaded with the screens that show them. */
export const jsonTreeTexts = { english };
