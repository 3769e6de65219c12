import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../../test.ts";
import { runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

const createdKey = z.looseObject({ data: z.looseObject({ id: z.string(), secret: z.string() }) });

let folder: TestFolder;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, platform] = await Promise.all([createTestFolder(), startOnClone()]);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function statusOf(key: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${platform.url}${path}`, { headers })).status;
}

async function make(key: string, path: string, body: object) {
  const response = await fetch(`${platform.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return createdKey.parse(await response.json()).data;
}

const keys = async (...args: string[]) =>
  await runJackfield({
    ...{ cwd: folder.path, args: ["keys", ...args] },
    env: {
      SVC_SECRET_KEY_DEV: platform.keys.dev,
      SVC_SECRET_KEY_ACCOUNT: platform.keys.account,
      SVC_HOSTPORT: platform.url,
    },
  });

test.each([
  ["an environment", [], "/environment/api-keys", "environment:api_keys:list"],
  ["the account", ["--account"], "/account/api-keys", "account:api_keys:list"],
] as const)("a key of %s is replaced, both work, and the old one is deleted", async (...row) => {
  const [, owner, path, scope] = row;
  const maker = owner.length === 0 ? platform.keys.dev : platform.keys.account;
  const old = await make(maker, path, { display_name: "backend", scopes: [scope] });

  const replaced = await keys("replace", "backend", ...owner);
  const secret = replaced.stdout.trim();
  const both = [await statusOf(old.secret, path), await statusOf(secret, path)];
  const listed = await keys("list", ...owner);
  const deleted = await keys("delete", old.id, ...owner);
  const after = [await statusOf(old.secret, path), await statusOf(secret, path)];

  expect(replaced).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc_key_\S+\n$/) });
  expect(replaced.stderr).toContain(`the old key (${old.id}) works until`);
  expect(both).toEqual([200, 200]);
  expect(listed.stdout).toMatch(/backend \(replaced, \S+\) .* backend *\n/);
  expect(deleted.stdout).toContain("is deleted.");
  expect(after).toEqual([401, 200]);
});

test("without a grace period the old key stops at once", async () => {
  const path = "/environment/api-keys";
  const old = await make(platform.keys.dev, path, { display_name: "leaked" });

  const replaced = await keys("replace", old.id, "--grace-hours", "0", "--json");

  const [{ key, works_until }] = JSON.parse(replaced.stdout).data;
  expect(works_until).toBeNull();
  expect([await statusOf(old.secret, path), await statusOf(key.secret, path)]).toEqual([401, 200]);
});

test.each([
  [["replace", "unknown"], 'There is no key "unknown". Keys: '],
  [["replace", "x", "--grace-hours", "long"], '"long" is not one'],
  [["delete", "unknown", "--account"], 'There is no key "unknown"'],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await keys(...args);

  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(message);
});
