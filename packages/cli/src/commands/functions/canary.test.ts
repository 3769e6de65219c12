import { writeFile } from "node:fs/promises";
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
  await run("init");
  await call("POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: crm.url },
  });
  for (const id of ["acme", "globex"]) {
    const credentials = { type: "API_KEY", apiKey: crm.token };
    await call("POST", "/connections", {
      ...{ provider_config_key: "crm", connection_id: id, credentials },
    });
  }
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function run(...args: string[]): Promise<Outcome> {
  const env = { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url };
  return await runJackfield({ cwd: folder.path, args, env });
}

async function call(method: string, path: string, body: object, connection = ""): Promise<unknown> {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: {
      ...{ authorization: `Bearer ${platform.keys.dev}`, "content-type": "application/json" },
      ...(connection && { "provider-config-key": "crm", "connection-id": connection }),
    },
    body: JSON.stringify(body),
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  return await response.json();
}

/** What the action answers, which is a part of its source. */
async function write(answer: string): Promise<void> {
  const source = `import { createAction } from "jackfield";
import * as z from "zod";

export default createAction({
  description: "Answers with its version, and calls the provider",
  input: z.object({}),
  output: z.string(),
  exec: async (svc) => {
    await svc.get({ endpoint: "/contacts" });
    return "${answer}";
  },
});
`;
  await writeFile(join(folder.path, "crm/actions/create-contact.ts"), source);
}

const answers = async () =>
  await Promise.all(
    ["acme", "globex"].map(async (id) => {
      const body = { action_name: "create-contact", input: {} };
      return await call("POST", "/action/trigger", body, id);
    }),
  );

test("a canary is started, shown, refused a deployment, rolled back, and promoted", async () => {
  const none = await run("canary", "show");
  await write("old");
  const first = await run("deploy", "dev", "--auto-confirm");
  expect(first, first.stderr).toMatchObject({ code: 0 });
  await write("new");

  const wrong = await run("deploy", "dev", "--canary", "5%", "--canary-limit", "speed=3");
  const started = await run("deploy", "dev", "--auto-confirm", "--canary", "acme");
  const during = await answers();
  const shown = await run("canary", "show");
  const refused = await run("deploy", "dev", "--auto-confirm");
  const back = await run("canary", "rollback");
  const after = await answers();
  const again = await run("canary", "promote");
  const limits = ["--canary-limit", "slowdown=none", "--canary-for", "30m"];
  const second = await run("deploy", "dev", "--auto-confirm", "--canary", "100%", ...limits);
  const promoted = await run("canary", "promote", "--json");

  expect(none).toMatchObject({ code: 6, stderr: expect.stringContaining("No canary was started") });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("speed") });
  expect(started, started.stderr).toMatchObject({ code: 0 });
  expect(started.stdout).toContain("1 connection");
  expect(during).toEqual(["new", "old"]);
  expect(shown.stdout).toMatch(/action +crm\/create-contact/);
  expect(shown.stdout).toContain("new version: 1 run, 0 failed");
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("canary") });
  expect(back.stdout).toContain("rolled back");
  expect(after).toEqual(["old", "old"]);
  expect(again).toMatchObject({ code: 6, stderr: expect.stringContaining("ended") });
  expect(second, second.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(promoted.stdout).data).toMatchObject({ state: "promoted", by_itself: false });
  expect(await answers()).toEqual(["new", "new"]);
});

test("what a function sent is shown by host and by connection", async () => {
  await vi.waitFor(
    async () => {
      const { stdout } = await run("egress", "crm/create-contact", "--json");
      expect(JSON.parse(stdout).data.total.calls).toBe(6);
    },
    { timeout: 60_000, interval: 500 },
  );

  const all = await run("egress", "crm/create-contact");
  const one = await run("egress", "crm/create-contact", "--connection", "acme", "--days", "1");
  const unknown = await run("egress", "crm/nothing");
  const unnamed = await run("egress", "crm");

  const [, host = ""] = crm.url.split("//");
  expect(all, all.stderr).toMatchObject({ code: 0 });
  expect(all.stdout).toContain("It may send to {integration}.");
  expect(all.stdout).toMatch(new RegExp(`${host.replaceAll(".", "\\.")} +6 +0 +\\d+ +\\d+`));
  expect(all.stdout).toMatch(/acme +3 +0 /);
  expect(all.stdout).toMatch(/globex +3 +0 /);
  expect(one.stdout).toMatch(/all, 1 day +3 +0 /);
  expect(one.stdout).not.toContain("globex");
  expect(unknown.code).toBe(1);
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining("integration/name") });
});
