import { defineConfig } from "vitest/config";
import { common, wholeRun } from "./vitest.config.ts";

// Long and bounded: `npm run test:chaos` repeats what `npm test` proves in short.
export default defineConfig({
  test: {
    ...common,
    ...wholeRun,
    include: ["tests/chaos/**/*.chaos.ts"],
    maxWorkers: 1,
    testTimeout: 15 * 60_000,
  },
});
