import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const manifest = createRequire(import.meta.url).resolve("vitest/package.json");
const vitest = join(dirname(manifest), "vitest.mjs");
const config = fileURLToPath(new URL("leaky-run/vitest.config.ts", import.meta.url));

test("a run whose tests pass fails when what it printed or left holds a secret", async () => {
  const run = promisify(execFile)(process.execPath, [vitest, "run", "--config", config]);
  const { code, stdout } = await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );

  expect(stdout, stdout).toMatch(/1 passed/);
  expect(stdout).toMatch(/stdout of the run: leaked-access-\S+ \(leaks\.ts\), hex/);
  expect(stdout).toMatch(/leaks\.ts \d+ node.*: leaked-bearer-\S+ \(leaks\.ts\), plain/);
  expect(stdout).toMatch(/some\.log: leaked-refresh-\S+ \(leaks\.ts\), plain/);
  expect(stdout).toContain("found 3");
  expect(code).toBe(1);
});
