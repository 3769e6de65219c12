import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const cli = fileURLToPath(new URL("../../packages/cli/bin/jackfield.js", import.meta.url));

test("the examples compile, and each does with the recorded answers what it did", async () => {
  // No key and no address: nothing but the recordings can answer.
  const env = { PATH: dirname(process.execPath), SVC_HOSTPORT: "http://127.0.0.1:1" };

  const { stdout, stderr } = await run(process.execPath, [cli, "test", "--json"], {
    cwd: examples,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });

  const report = JSON.parse(stdout);
  expect(stderr).toBe("");
  expect(report).toMatchObject({ failed: 0, untested: [] });
  expect(new Set(report.cases.map((one: { function: string }) => one.function)).size).toBe(
    listFunctions().length,
  );
}, 120_000);

function listFunctions(): string[] {
  return readdirSync(examples, { recursive: true, encoding: "utf8" }).filter((path) =>
    /^[^/]+\/(syncs|actions|on-events)\/[^/]+\.ts$/.test(path),
  );
}
