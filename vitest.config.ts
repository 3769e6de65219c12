import { defineConfig } from "vitest/config";
import { searchForSecrets } from "./tests/canary/search-run.ts";
import { countTests, inTurn, listTestsNotRun } from "./tests/require-tool.ts";

export default defineConfig({
  // Workspace packages are used from source; see "exports" in their package.json.
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["./tests/canary/keep-run.ts", "./tests/database-server.ts"],
    setupFiles: ["./tests/canary/watch-tests.ts"],
    execArgv: ["--conditions=source"],
    // A dependency of this client names its source as we do ours, which only vite can run.
    server: { deps: { inline: [/@modelcontextprotocol\/client/, /eventsource/] } },
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", inTurn(listTestsNotRun(), searchForSecrets(), countTests())],
  },
});
