import { join } from "node:path";
import { defineConfig } from "vitest/config";
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
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // No test is about time: a busy machine may take long.
  expect: { poll: { timeout: 15_000 } },
};

/** What surrounds a run: its database server, and what it reports at the end. */
export const wholeRun = {
  globalSetup: ["./tests/canary/keep-run.ts", "./tests/database-server.ts"],
  reporters: ["default", inTurn(listTestsNotRun(), searchForSecrets(), countTests())],
};

export default defineConfig({
  test: {
    ...common,
    ...wholeRun,
    maxWorkers: 2,
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
  },
});
