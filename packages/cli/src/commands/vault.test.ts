import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { spawnJackfield, startJackfield } from "../testing/run-jackfield.ts";
import { createTestFolder } from "../testing/test-folder.ts";

test("rotates and verifies next to the server that holds the embedded database, and without it", async () => {
  await using folder = await createTestFolder();
  const dataDir = join(folder.path, "data");
  const env = { SVC_DATA_DIR: dataDir, SVC_PORT: "0", SVC_LOG_LEVEL: "error" };
  const vault = async (...args: string[]) =>
    await spawnJackfield({ cwd: folder.path, args: ["vault", ...args], env });
  const keyFile = join(dataDir, "encryption.key");

  const tooEarly = await vault("verify");
  const platform = startJackfield({ cwd: folder.path, args: ["start"], env });
  if (platform.stdout === null) throw new Error("the server has no output");
  for await (const line of createInterface({ input: platform.stdout })) {
    if (line.includes("ready at")) break;
  }
  platform.stdout.resume();
  const before = await readFile(keyFile, "utf8");
  const rotated = await vault("rotate", "--new-key");
  const neighbour = await vault("verify");
  platform.kill("SIGTERM");
  if (platform.exitCode === null) await once(platform, "exit");
  const stopped = await vault("rotate", "--data-keys");
  const after = await readFile(keyFile, "utf8");

  expect(tooEarly.stderr).toContain("there is no data folder");
  expect(rotated.stdout).toMatch(/New master key (\w+) in .+\nMaster key \1 alone encrypts all/);
  expect(neighbour.stdout).toMatch(/webhook_signing_keys.key +2 ok, 0 failed/);
  expect(stopped.stdout).toContain("Data keys: replaced; 2 texts re-encrypted.");
  expect(after).toMatch(/^\S{44}\n\S{44}\n$/);
  expect(after.endsWith(before)).toBe(true);
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  const outcomes = [tooEarly, rotated, neighbour, stopped];
  expect(outcomes.map(({ code }) => code)).toEqual([1, 0, 0, 0]);
}, 90_000);
