import { join } from "node:path";
import { defaultExclude, defineConfig } from "vitest/config";
import { searchForSecrets } from "./tests/canary/search-run.ts";
import { countTests, inTurn, listTestsNotRun } from "./tests/require-tool.ts";

// Test files and the servers that they start load what others have stripped of its types and compiled.
// biome-ignore lint/style/noProcessEnv: Node reads it in every process that inherits it
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/** How every test file runs. */
export const common = {
  setupFiles: ["./tests/canary/watch-tests.ts"],
  // Node runs the source itself, as it does in a server; workspace packages by "exports" of their package.json.
  // Vitest's loader mocks modules, which no test does, and keeps Node from using its cache of compiled modules.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ["--conditions=jackfield-source"],
  pool: "forks" as const,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // No test is about time: a busy machine may take long.
  expect: { poll: { timeout: 15_000 } },
};

/** Tests that start servers, and tests that measure their own process. */
const alone = [
  "tests/**/*.test.ts",
  "packages/contract/src/runtime/frames.test.ts",
  "packages/server/src/platform/{embedded-postgres,sandbox}/**/*.test.ts",
  "packages/server/src/platform/loop-watch.test.ts",
];

/** What surrounds a run: its database server, and what it reports at the end. */
export const wholeRun = {
  globalSetup: ["./tests/canary/keep-run.ts", "./tests/database-server.ts"],
  reporters: ["default", inTurn(listTestsNotRun(), searchForSecrets(), countTests())],
};

export default defineConfig({
  test: {
    ...wholeRun,
    maxWorkers: 2,
    projects: [
      // A process for each file. The longest come first.
      { test: { ...common, name: "alone", include: alone } },
      // Files share a process, which loads the server once. Each still has a database of its own.
      {
        test: {
          ...common,
          name: "shared",
          include: ["packages/*/src/**/*.test.ts"],
          exclude: [...alone, ...defaultExclude],
          isolate: false,
        },
      },
    ],
  },
});
