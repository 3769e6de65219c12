import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../../test.ts";
import { type Outcome, runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Each command type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let folder: TestFolder;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, platform] = await Promise.all([createTestFolder(), startOnClone()]);
  await run("init");
  await run("integrations", "create", "private-api-bearer", "crm");
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function run(...args: string[]): Promise<Outcome> {
  const env = { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url };
  return await runJackfield({ cwd: folder.path, args, env });
}

async function describedAs(): Promise<unknown> {
  const response = await fetch(`${platform.url}/integrations/crm/functions/create-contact`, {
    headers: { authorization: `Bearer ${platform.keys.dev}` },
  });
  const fn = Object(await response.json());
  return fn.data?.description;
}

test("the newest deployment is taken back, or one by its id, and what it was is said", async () => {
  const none = await run("rollback", "--last");
  const empty = await run("rollback");
  const first = await run("deploy", "dev", "--auto-confirm");
  expect(first, first.stderr).toMatchObject({ code: 0 });
  const described = await describedAs();
  const file = join(folder.path, "crm", "actions", "create-contact.ts");
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace(/description: "[^"]*"/, 'description: "Worse than before"'));
  const second = await run("deploy", "dev", "--auto-confirm");
  expect(second, second.stderr).toMatchObject({ code: 0 });
  const worse = await describedAs();

  const back = await run("rollback", "--last");
  const restored = await describedAs();
  const listed = await run("rollback");
  const [, newest = ""] = listed.stdout.split("\n");
  const forth = await run("rollback", newest.split(" ")[0] ?? "", "--json");

  expect(none).toMatchObject({ code: 6, stderr: expect.stringContaining("changed anything") });
  expect(empty).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was deployed") });
  expect(worse).toBe("Worse than before");
  expect(back, back.stderr).toMatchObject({ code: 0 });
  expect(back.stdout).toContain("crm/create-contact: is what it was before");
  expect(restored).toBe(described);
  expect(listed.stdout).toMatch(/DEPLOYMENT.*\n.*rollback.*0 new, 1 changed, 0 removed/);
  expect(JSON.parse(forth.stdout).data).toMatchObject({ way: "rollback", state: "success" });
  expect(await describedAs()).toBe("Worse than before");
});

test("a deployment that is not there, and two ways to name one, are refused", async () => {
  const unknown = await run("rollback", "0190f5d2-8c1e-7f4a-b1c2-3d4e5f6a7b8c");
  const twice = await run("rollback", "x", "--last");

  expect(unknown).toMatchObject({ code: 6 });
  expect(twice).toMatchObject({ code: 2 });
});
