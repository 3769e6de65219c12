import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../../test.ts";
import { type FakeCrm, startFakeCrm } from "../../testing/fake-crm.ts";
import { type Outcome, runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Each command type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: TestFolder;
let crm: FakeCrm;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, crm, platform] = await Promise.all([createTestFolder(), startFakeCrm(), startOnClone()]);
  await runJackfield({ cwd: folder.path, args: ["init"] });
  await post("/integrations", {
    provider: "private-api-bearer",
    unique_key: "crm",
    integration_config: { base_url: crm.url },
  });
  await post("/connections", {
    provider_config_key: "crm",
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: crm.token },
  });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${platform.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.keys.dev}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
}

const run = async (args: string[], env: Record<string, string> = {}): Promise<Outcome> =>
  await runJackfield({
    cwd: folder.path,
    args,
    env: { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url, ...env },
  });

test("a sync's records are shown and none is saved; its recording is replayed without a network", async () => {
  const file = join(folder.path, "crm/syncs/contacts.ts");
  const source = await readFile(file, "utf8");

  const dryRun = await run(["dryrun", "contacts", "--save"]);

  expect(dryRun).toMatchObject({ code: 0, stderr: "" });
  expect(dryRun.stdout).toContain("Contact: 5 saved");
  expect(dryRun.stdout).toContain('{"company":null,"email":"person1@example.com"');
  expect(dryRun.stdout).toContain("Recorded in crm/tests/contacts.test.json");
  const stored = await fetch(`${platform.url}/records?model=Contact`, {
    headers: {
      authorization: `Bearer ${platform.keys.dev}`,
      "connection-id": "acme",
      "provider-config-key": "crm",
    },
  });
  // Nothing is deployed, and nothing was saved: the platform does not know the model.
  expect(await stored.json()).toMatchObject({ error: { code: "invalid_query_params" } });
  const recording = await readFile(join(folder.path, "crm/tests/contacts.test.json"), "utf8");
  expect(recording).not.toContain(crm.token);

  const before = crm.calls;
  const replayed = await run(["test", "--json"], { SVC_HOSTPORT: "http://127.0.0.1:1" });
  await writeFile(file, source.replace("limit: 100", "limit: 50"));
  const changed = await run(["test", "crm/contacts"]);
  await writeFile(file, source);

  expect(replayed.code).toBe(0);
  expect(JSON.parse(replayed.stdout)).toMatchObject({
    passed: 1,
    failed: 0,
    untested: ["crm/create-contact"],
  });
  expect(changed.code).toBe(5);
  expect(changed.stdout).toContain('query.limit: recorded "100", now "50"');
  expect(changed.stdout).toMatch(/recorded and not asked for: GET \/contacts\?/);
  expect(crm.calls).toBe(before);
});

test("an action's output, and the failure of one that the provider refuses, with the author's line", async () => {
  const input = (email: string) => JSON.stringify({ name: "Ada", email });

  const done = await run([
    "dryrun",
    "create-contact",
    "acme",
    "--json",
    "--input",
    input("a@b.example"),
  ]);
  const older = await run(["dryrun", "create-contact", "acme", "-i", input("old@b.example")]);
  const failed = await run([
    "dryrun",
    "create-contact",
    "acme",
    "--input",
    input("taken@example.com"),
  ]);
  const callsBefore = crm.calls;
  const unfit = await run(["dryrun", "create-contact", "--input", '{"name":""}']);
  const callsOfUnfit = crm.calls - callsBefore;
  const insisted = await run([
    "dryrun",
    "create-contact",
    "--no-validate",
    "--input",
    '{"name":""}',
  ]);

  expect(older).toMatchObject({ code: 0, stderr: expect.stringContaining("write `--input`") });
  expect(JSON.parse(done.stdout)).toMatchObject({
    function: "create-contact",
    kind: "action",
    connection: "acme",
    output: { id: "new", name: "Ada" },
    logs: [{ level: "info", message: "Created a contact" }],
  });
  expect(failed.code).toBe(4);
  expect(failed.stderr).toContain("script_http_error: The provider answered 409");
  expect(failed.stderr).toMatch(/crm\/actions\/create-contact\.ts:15:\d+/);
  expect(unfit.code).toBe(4);
  expect(unfit.stderr).toContain("invalid_action_input");
  expect(unfit.stderr).toContain("--no-validate");
  expect(callsOfUnfit).toBe(0);
  expect(insisted.stderr).toContain("does not match its schema");
  expect(crm.calls).toBeGreaterThan(callsBefore);
});

test("retryHeader and forwardHeadersOnRedirect count as in a deployed function", async () => {
  const file = join(folder.path, "crm/actions/create-contact.ts");
  const source = await readFile(file, "utf8");
  // After six answers of 400; the usual waits before the retries would take three minutes.
  const call = /const response = [\s\S]*?toContact\(response\.data\);/;
  expect(source).toMatch(call);
  const probe = `const retryHeader = { after: "x-backoff", remaining: "x-left" };
    await svc.get({ endpoint: "/busy", retries: 6, retryHeader });
    const config = { endpoint: "/moved", headers: { "x-own": "mine" } };
    const kept = await svc.get(config);
    const sent = await svc.get({ ...config, forwardHeadersOnRedirect: true });
    throw new ActionError({ kept: kept.data, sent: sent.data });`;
  const imports = 'import { ActionError, createAction } from "jackfield";';
  // It is redirected to another host than the integration's.
  const { port } = new URL(crm.url);
  const changed = source
    .replace(call, probe)
    .replace(/import \{ createAction.*/, imports)
    .replace("createAction({", `createAction({ egress: ["{integration}", "localhost:${port}"],`);
  await writeFile(file, changed);

  const { stdout } = await run([
    "dryrun",
    "create-contact",
    "--json",
    "--input",
    '{"name":"A","email":"a@b.example"}',
  ]);
  await writeFile(file, source);

  expect(crm.busy).toBe(7);
  const payload = { kept: { own: null }, sent: { own: "mine" } };
  expect(JSON.parse(stdout)).toMatchObject({ error: { payload } });
});

test("what was called wrongly, an unknown connection and a wrong key have exit codes of their own", async () => {
  const notJson = await run(["dryrun", "create-contact", "acme", "--input", "Ada"]);
  const noFunction = await run(["dryrun", "deals"]);
  const noConnection = await run(["dryrun", "contacts", "nobody"]);
  const wrongKey = await run(["dryrun", "contacts"], { SVC_SECRET_KEY_DEV: "svc_key_wrong" });
  const unreachable = await run(["dryrun", "contacts"], { SVC_HOSTPORT: "http://127.0.0.1:1" });

  expect(notJson).toMatchObject({ code: 2, stderr: expect.stringContaining("--input is no JSON") });
  expect(noFunction).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("crm/syncs/contacts"),
  });
  expect(noConnection).toMatchObject({
    code: 7,
    stderr: expect.stringContaining("no connection nobody"),
  });
  expect(wrongKey).toMatchObject({ code: 7, stderr: expect.stringContaining("401") });
  expect(unreachable).toMatchObject({
    code: 7,
    stderr: expect.stringContaining("jackfield start"),
  });
});

test("recordings become vitest files, which stay as they are once written", async () => {
  const written = await run(["generate", "tests", "--json"]);
  const again = await run(["generate:tests"]);

  expect(JSON.parse(written.stdout)).toEqual({ files: ["crm/tests/contacts.test.ts"] });
  expect(again.stdout).toContain("There is nothing to write: each function has its files");
  const text = await readFile(join(folder.path, "crm/tests/contacts.test.ts"), "utf8");
  expect(text).toContain('import definition from "../syncs/contacts.js";');
  await rm(join(folder.path, "crm/tests/contacts.test.ts"));
});

test("an endpoint with `..` reaches no other route of the server with the key", async () => {
  const file = join(folder.path, "crm/actions/create-contact.ts");
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace('endpoint: "/contacts"', 'endpoint: "/../api-keys"'));

  const left = await run([
    "dryrun",
    "create-contact",
    "--input",
    '{"name":"Ada","email":"a@b.example"}',
  ]);
  await writeFile(file, source);

  expect(left).toMatchObject({ code: 4, stderr: expect.stringContaining("leaves the base URL") });
});

test("doctor finds what is missing", async () => {
  const well = await run(["doctor", "--json"]);
  const ill = await run(["doctor", "--environment", "prod"]);

  expect(well.code).toBe(0);
  expect(JSON.parse(well.stdout).findings).toContainEqual({
    check: "integration",
    state: "ok",
    message: "crm is in dev",
  });
  expect(ill.code).toBe(1);
  expect(ill.stdout).toContain("problem key: There is no API key for the environment prod");
});

test("doctor outside a project checks the server and names what it did not check", async () => {
  await using outside = await createTestFolder();
  const env = { SVC_HOSTPORT: platform.url };
  const args = ["doctor", "--json"];

  const withKey = await runJackfield({
    cwd: outside.path,
    args,
    env: { ...env, SVC_SECRET_KEY_DEV: platform.keys.dev },
  });
  const withoutKey = await runJackfield({ cwd: outside.path, args, env });

  expect(withKey.code).toBe(0);
  expect(JSON.parse(withKey.stdout).findings.slice(1)).toEqual([
    { check: "project", state: "skipped", message: expect.stringContaining("were not checked") },
    { check: "platform", state: "ok", message: expect.stringContaining(platform.url) },
    { check: "key", state: "ok", message: "the key of dev is accepted" },
  ]);
  expect(withoutKey.code).toBe(0);
  expect(JSON.parse(withoutKey.stdout).findings.at(-1)).toMatchObject({
    check: "key",
    state: "skipped",
  });
});

test("a deployed function's source comes back with pull", async () => {
  const deployed = await run(["deploy", "dev", "--json"]);
  const kept = await run(["pull", "crm", "contacts"]);
  const pulled = await run(["pull", "crm", "contacts", "--force", "--json"]);

  expect(deployed.code).toBe(0);
  expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was written") });
  expect(await run(["pull", "..", "contacts"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('".." cannot be the integration'),
  });
  expect(JSON.parse(pulled.stdout)).toEqual({ file: "crm/syncs/contacts.ts", type: "sync" });
});
