import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../../test.ts";
import { type FakeCrm, startFakeCrm } from "../../testing/fake-crm.ts";
import { type Outcome, runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Each command type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let folder: TestFolder;
let crm: FakeCrm;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, crm, platform] = await Promise.all([createTestFolder(), startFakeCrm(), startOnClone()]);
  await runJackfield({ cwd: folder.path, args: ["init"] });
  await call("POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: crm.url },
  });
  await call("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme" },
    credentials: { type: "API_KEY", apiKey: crm.token },
  });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: the test looks into answers and compares what it finds
async function call(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${platform.keys.dev}`,
      "content-type": "application/json",
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  return await response.json();
}

const run = async (args: string[], env: Record<string, string> = {}): Promise<Outcome> =>
  await runJackfield({
    cwd: folder.path,
    args,
    env: { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url, ...env },
  });

const nowhere = { SVC_HOSTPORT: "http://127.0.0.1:1" };

test("a run in production is recorded, replayed against the project, and kept as a test", async () => {
  expect(await run(["deploy", "dev", "--auto-confirm"])).toMatchObject({ code: 0 });
  // Its first run would be recorded, too.
  const status = "/sync/status?provider_config_key=crm&connection_id=acme&syncs=contacts";
  await vi.waitFor(
    async () => {
      const { syncs } = await call("GET", status);
      expect(syncs).toMatchObject([{ status: "SUCCESS" }]);
    },
    { timeout: 30_000, interval: 100 },
  );
  const on = await run(["tape", "on", "crm/contacts", "--sample", "1"]);
  expect(on).toMatchObject({ code: 0, stderr: "" });
  await call("POST", "/sync/trigger", {
    ...{ provider_config_key: "crm", connection_id: "acme", syncs: ["contacts"] },
  });
  const operation = await vi.waitFor(
    async () => {
      const { data } = await call("GET", "/tapes");
      expect(data).toHaveLength(1);
      return String(data[0].operation_id);
    },
    { timeout: 30_000, interval: 200 },
  );
  const list = await run(["tape", "list"]);
  await run(["tape", "show", operation, "--output", "contacts.tape.json"]);
  await run(["tape", "off", "crm/contacts"]);

  const tape = await readFile(join(folder.path, "contacts.tape.json"), "utf8");
  const before = crm.calls;
  const same = await run(["replay", operation, "--json"]);
  const saved = await run(
    ["replay", "contacts.tape.json", "--save-test", "--case", "first"],
    nowhere,
  );
  const tested = await run(["test", "crm/contacts", "--json"], nowhere);
  const file = join(folder.path, "crm/syncs/contacts.ts");
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace("limit: 100", "limit: 50"));
  const changed = await run(["replay", "contacts.tape.json"], nowhere);
  const failing = await run(["test", "crm/contacts"], nowhere);
  await writeFile(file, source);

  expect(list.stdout).toContain("crm/contacts: 100 % of the runs");
  expect(list.stdout).toContain(operation);
  expect(tape).not.toContain(crm.token);
  expect(same.code, same.stdout + same.stderr).toBe(0);
  expect(JSON.parse(same.stdout)).toMatchObject({ operation, same: true, stopped: null });
  expect(saved.code, saved.stdout + saved.stderr).toBe(0);
  expect(saved.stdout).toContain("crm/tests/contacts.first.tape.json");
  expect(JSON.parse(tested.stdout)).toMatchObject({ passed: 1, failed: 0 });
  expect(changed.code).toBe(5);
  expect(changed.stdout).toContain('query.limit: recorded "100", now "50"');
  expect(changed.stdout).toContain("The run differs from its tape");
  expect(failing.code).toBe(5);
  expect(crm.calls).toBe(before);
});

test("what is not there is a wrong use", async () => {
  const missing = await run(["replay", "nothing.json"]);
  const unknown = await run(["replay", "0199f0c2-7d1e-7c1c-9f63-5d0f0a3f5f10"]);
  const nothing = await run(["tape", "on", "crm/contacts"]);

  expect([missing.code, nothing.code]).toEqual([2, 2]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("There is no tape");
});
