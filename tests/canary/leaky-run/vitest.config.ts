import { defineConfig } from "vitest/config";
import { inTurn } from "../../require-tool.ts";
import { searchForSecrets } from "../search-run.ts";

// A run whose only file leaks what it can; `search-run.test.ts` starts it and reads what is found.
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ["leaks.ts"],
    globalSetup: ["../keep-run.ts"],
    setupFiles: ["../watch-tests.ts"],
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=jackfield-source"],
    pool: "forks",
    reporters: ["default", inTurn(searchForSecrets())],
  },
});
