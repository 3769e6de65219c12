import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";

// Promise U10: a run whose tests pass fails when the server's code has sent what a cluster cannot answer from one server.

const manifest = createRequire(import.meta.url).resolve("vitest/package.json");
const vitest = join(dirname(manifest), "vitest.mjs");

async function run(config: string, ...files: string[]): Promise<{ code: number; stdout: string }> {
  const path = fileURLToPath(new URL(`broken-run/${config}`, import.meta.url));
  const args = [vitest, "run", "--config", path, ...files];
  const running = promisify(execFile)(process.execPath, args, {
    // biome-ignore lint/style/noProcessEnv: what a run inherits, and the server of this one
    env: { ...process.env, TEST_DATABASE_URL: inject("databaseServer").url },
  });
  return await running.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
}

test("a whole run fails for statements that no exception covers, and for exceptions that cover none", async () => {
  const { code, stdout } = await run("vitest.config.ts");

  expect(stdout, stdout).toMatch(/2 passed/);
  const found = stdout.split("\n").filter((line) => line.startsWith("  broken/store.ts"));
  expect(found).toEqual([
    "  broken/store.ts readEverywhere: reaches 16 of 16 servers for operations",
    // With one number it reaches one server.
    expect.stringMatching(/readModels: reaches \d of 16 servers for record_models$/),
    // Of a partition, which may only join others.
    "  broken/store.ts readDay: reaches 16 of 16 servers for operation_messages",
    // That it may reach all servers is no reason for its form.
    "  broken/store.ts readReceivers: sets a parameter in one message with a query",
    // Only where no table is distributed, and it was sent to a prepared schema.
    "  broken/store.ts readQueues: reaches 16 of 16 servers for inbound_webhooks; sent on a prepared schema",
    "  broken/store.ts readDay: is allowed, but no statement of the run needs it",
    "  broken/store.ts readOne: is allowed, but no statement of the run needs it",
  ]);
  expect(code).toBe(1);
});

test("a whole run that has sent no statement fails, and one of some files does not", async () => {
  const whole = await run("nothing.config.ts");
  const part = await run("vitest.config.ts", "nothing.ts");

  expect(whole.stdout, whole.stdout).toContain("Statements: none was recorded");
  expect([whole.code, part.code]).toEqual([1, 0]);
});

test("a whole run in which all statements are right fails for an exception that none needs", async () => {
  const [whole, part] = await Promise.all([
    run("stale.config.ts"),
    run("stale.config.ts", "sends-one.ts"),
  ]);

  const line = "broken/store.ts readOne: is allowed, but no statement of the run needs it";
  expect(whole.stdout, whole.stdout).toContain(line);
  expect(whole.stdout).toContain("0 refused");
  expect(part.stdout).not.toContain(line);
  expect([whole.code, part.code]).toEqual([1, 0]);
}, 240_000);

test("where tests were skipped, an exception that no statement needs is only reported", async () => {
  const { code, stdout } = await run("skipped.config.ts");

  expect(stdout, stdout).toMatch(/1 skipped/);
  expect(stdout).toContain("readOne: is allowed, but no statement of the run needs it");
  expect(code).toBe(0);
});
