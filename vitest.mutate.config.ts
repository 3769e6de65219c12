import { defineConfig } from "vitest/config";
import { common, wholeRun } from "./vitest.config.ts";

// What `npm run mutate` runs for each mutant: in a process for each file, which has read the source as it is then.
export default defineConfig({
  test: {
    ...common,
    ...wholeRun,
    include: ["packages/*/src/**/*.test.ts"],
  },
});
