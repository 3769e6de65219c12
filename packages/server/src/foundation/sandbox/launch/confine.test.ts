import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { startSandbox } from "../testing/sandbox-fixture.ts";

/** Output of a program of the machine behind the walls of functions. */
async function runConfined(program: string, ...parameters: string[]) {
  const sandbox = await startSandbox();
  const file = await sandbox.confine(program);
  const { stdout, status } = spawnSync(file, parameters, { env: { GIVEN: "yes" } });
  return { output: stdout.toString(), status, level: sandbox.describe().level };
}

const isLinux = process.platform === "linux";

test.runIf(isLinux)("a confined program sees no file of the machine", async (context) => {
  const { output, status, level } = await runConfined("/usr/bin/cat", "/etc/passwd");

  if (level !== "sealed" && level !== "private-root") {
    context.skip("not run: this machine has no private root");
  }
  expect(output).toBe("");
  expect(status).not.toBe(0);
});

test.runIf(isLinux)("a confined program has its environment, arguments and exit code", async () => {
  const { output } = await runConfined("/usr/bin/env");

  expect(output).toContain("GIVEN=yes");
  expect((await runConfined("/usr/bin/expr", "20", "+", "22")).output).toBe("42\n");
  expect((await runConfined("/usr/bin/expr", "1", "=", "2")).status).toBe(1);
});

test.runIf(isLinux && process.getuid?.() === 0)(
  "a confined program has a user id of the range",
  async () => {
    const { output } = await runConfined("/usr/bin/id", "-u");

    expect(Number(output)).toBeGreaterThan(60_000);
  },
);
