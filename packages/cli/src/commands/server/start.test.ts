import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { spawnJackfield, startJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder } from "../../testing/test-folder.ts";

test("starts the server, stops it on a signal, and makes keys whether it runs or not", async () => {
  await using folder = await createTestFolder();
  const env = { SVC_DATA_DIR: join(folder.path, "data"), SVC_PORT: "0", SVC_LOG_LEVEL: "error" };
  const start = () => startJackfield({ cwd: folder.path, args: ["start"], env });
  const createKey = async (...args: string[]) =>
    await spawnJackfield({ cwd: folder.path, args: ["keys", "create", ...args], env });

  const tooEarly = await createKey("--account");
  const first = start();
  await readUrl(first);
  const whileRunning = await createKey("--account");
  const firstEnd = await stop(first);
  const made = await createKey("--environment", "dev", "--name", "ci");
  const again = await createKey("--environment", "dev", "--name", "ci");
  const elsewhere = await createKey("--environment", "staging");
  const badScope = await createKey("--environment", "dev", "--scope", "account:*");
  const second = start();
  const url = await readUrl(second);
  const answer = await fetch(`${url}/integrations`, {
    headers: { authorization: `Bearer ${made.stdout.trim()}` },
  });
  const secondEnd = await stop(second);

  expect(tooEarly.stderr).toContain("start the server once");
  expect(whileRunning.stdout).toMatch(/^svc_key_\S+\n$/);
  expect(made.stdout).toMatch(/^svc_key_\S+\n$/);
  expect(again.stderr).toContain('there is a key named "ci" already');
  expect(elsewhere.stderr).toContain("there are: dev, prod");
  expect(badScope.stderr).toContain("account:* is not a scope of a key of this kind");
  const outcomes = [tooEarly, whileRunning, made, again, elsewhere, badScope];
  expect(outcomes.map(({ code }) => code)).toEqual([1, 0, 0, 1, 1, 1]);
  expect(answer.status).toBe(200);
  expect([firstEnd, secondEnd]).toEqual([0, 0]);
}, 120_000);

async function readUrl(platform: ChildProcess): Promise<string> {
  const { stdout, stderr } = platform;
  if (stdout === null || stderr === null) throw new Error("the server has no output");
  const errors: string[] = [];
  stderr.on("data", (chunk) => errors.push(String(chunk)));
  for await (const line of createInterface({ input: stdout })) {
    const url = /ready at (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    stdout.resume();
    return url;
  }
  throw new Error(`the server ended: ${errors.join("")}`);
}

async function stop(platform: ChildProcess): Promise<number | null> {
  platform.kill("SIGTERM");
  if (platform.exitCode === null) await once(platform, "exit");
  return platform.exitCode;
}
