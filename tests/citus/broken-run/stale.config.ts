import { defineConfig } from "vitest/config";
import { holdStatements, isWholeRun } from "../hold-statements.ts";
import { run } from "./vitest.config.ts";

const reason = "As the test of the run expects it.";

// All statements are right, and one is allowed what it does not need.
export const stale = {
  ...run,
  reporters: [
    "default",
    holdStatements({
      isWhole: isWholeRun,
      allowed: [{ from: "broken/store.ts readOne", may: ["reach"], reason }],
    }),
  ],
};

export default defineConfig({
  root: import.meta.dirname,
  test: { ...stale, include: ["sends-one.ts", "nothing.ts"] },
});
