import { defineConfig } from "vitest/config";
import { holdStatements, isWholeRun } from "../hold-statements.ts";

const reason = "As the test of the run expects it.";
const from = (name: string) => `broken/store.ts ${name}`;

// A small run, whose statements are held as those of the suite; `held-run.test.ts` starts it and reads what is found.
export const run = {
  globalSetup: ["../../canary/keep-run.ts", "../../database-server.ts"],
  setupFiles: ["../record-statements.ts"],
  provide: { schema: "plain" as const },
  experimental: { viteModuleRunner: false },
  execArgv: ["--conditions=jackfield-source"],
  pool: "forks" as const,
  reporters: [
    "default",
    holdStatements({
      isWhole: isWholeRun,
      allowed: [
        { from: from("readDay"), may: ["joins"], reason },
        { from: from("readQueues"), only: "plain", reason },
        { from: from("readReceivers"), may: ["reach"], reason },
        { from: from("readOne"), may: ["reach"], reason },
      ],
    }),
  ],
};

export default defineConfig({
  root: import.meta.dirname,
  test: { ...run, include: ["sends.ts", "nothing.ts"] },
});
