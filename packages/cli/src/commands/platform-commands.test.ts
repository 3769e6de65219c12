import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOnClone } from "../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../test.ts";
import { type FakeCrm, startFakeCrm } from "../testing/fake-crm.ts";
import { type Outcome, runJackfield, startJackfield } from "../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../testing/test-folder.ts";

// One command compiles a project: slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: TestFolder;
let crm: FakeCrm;
let platform: TestPlatform;
let env: Record<string, string>;

const run = async (...args: string[]): Promise<Outcome> =>
  await runJackfield({ cwd: folder.path, args, env });

beforeAll(async () => {
  [folder, crm, platform] = await Promise.all([createTestFolder(), startFakeCrm(), startOnClone()]);
  env = { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url };
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test("an integration is made with its OAuth client from a variable, and both are listed", async () => {
  env = { ...env, HUBSPOT_SECRET: "hubspot-canary-secret" };
  const none = await run("integrations", "list");
  const config = ["--config", `base_url=${crm.url}`];
  const plain = await run("integrations", "create", "private-api-bearer", "crm", ...config);
  const client = ["--client-id", "abc", "--client-secret-env", "HUBSPOT_SECRET"];
  const oauth = await run("integrations", "create", "hubspot", ...client, "--json");
  const unset = await run("integrations", "create", "github", "--client-secret-env", "NOT_SET");
  const wrong = await run("integrations", "create", "hubspott");
  const listed = await run("integrations", "list");

  expect(none.stdout).toContain("There is no integration yet");
  expect(plain.stdout).toBe("Made the integration crm (private-api-bearer) in dev.\n");
  expect(JSON.parse(oauth.stdout)).toMatchObject({ data: { unique_key: "hubspot" } });
  expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining("NOT_SET is not set") });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('"hubspot"') });
  expect(listed.stdout.split("\n").slice(0, 3)).toEqual([
    expect.stringMatching(/^INTEGRATION +PROVIDER +NAME$/),
    expect.stringMatching(/^crm +private-api-bearer +/),
    expect.stringMatching(/^hubspot +hubspot +HubSpot$/),
  ]);
});

test("operations of an OpenAPI document become tools, with the files that it refers to", async () => {
  const contact = { type: "object", properties: { email: { type: "string" } } };
  await writeFile(join(folder.path, "contact.json"), JSON.stringify(contact));
  const body = { content: { "application/json": { schema: { $ref: "contact.json" } } } };
  const post = { operationId: "addContact", requestBody: { required: true, ...body } };
  const cookie = { parameters: [{ name: "sid", in: "cookie", required: true }] };
  const paths = { "/contacts": { post }, "/own": { get: cookie }, "/x": { get: {} } };
  const document = { openapi: "3.1.0", info: { title: "CRM", version: "1" }, paths };
  await writeFile(join(folder.path, "openapi.json"), JSON.stringify(document));

  const made = await run(
    ...["integrations", "openapi", "crm", "openapi.json", "--exclude", "get-x"],
    ...["--effect", "addContact=read"],
  );
  const shown = await run("integrations", "openapi", "crm", "--json");
  const wrong = await run("integrations", "openapi", "crm", "openapi.json", "--effect", "x");
  const unknown = await run("integrations", "openapi", "crm", "openapi.json", "--include", "x");
  const removed = await run("integrations", "openapi", "crm", "--remove");
  const none = await run("integrations", "openapi", "crm");

  expect(made.stdout).toMatch(/^add-contact +POST \/contacts +read +\d+$/m);
  expect(made.stdout).toContain("Operations of CRM 1 that are tools: 1. Not chosen: 1.");
  expect(made.stdout).toContain('GET /own is no tool: it needs the parameter "sid" in cookie.');
  expect(JSON.parse(shown.stdout).data.operations).toHaveLength(1);
  expect([wrong.code, unknown.code]).toEqual([2, 1]);
  expect(unknown.stderr).toContain('include: the document has no "x"');
  expect(removed.stdout).toBe("Removed the document of crm.\n");
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has no OpenAPI document"),
  });
});

test("deployed functions are triggered, and the logs tell of it, also while they are followed", async () => {
  const connection = { provider_config_key: "crm", connection_id: "acme" };
  await fetch(`${platform.url}/connections`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.keys.dev}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ ...connection, credentials: { type: "API_KEY", apiKey: crm.token } }),
  });
  await run("init", "functions");
  const project = { cwd: `${folder.path}/functions`, env };
  const deployed = await runJackfield({ ...project, args: ["deploy", "dev", "--auto-confirm"] });
  expect(deployed.code, deployed.stderr).toBe(0);

  const follower = startJackfield({ ...project, args: ["logs", "--follow", "--json"] });
  let followed = "";
  follower.stdout?.on("data", (chunk) => (followed += chunk));
  const input = JSON.stringify({ name: "Ada", email: "a@b.example" });
  const acted = await run("trigger", "crm/create-contact", "--input", input);
  const synced = await run("trigger", "crm/contacts", "acme", "--json");
  const misfit = await run("trigger", "crm/contacts", "--input", "{}");
  const unknown = await run("trigger", "crm/nothing");
  const unnamed = await run("trigger", "contacts");
  await vi.waitUntil(() => /"action:?|"function":\{[^}]*create-contact/.test(followed), {
    timeout: 60_000,
  });
  follower.kill("SIGTERM");
  const [code] = await once(follower, "close");

  expect(JSON.parse(acted.stdout)).toMatchObject({ id: "new", name: "Ada" });
  expect(JSON.parse(synced.stdout)).toEqual({ success: true });
  expect(misfit).toMatchObject({ code: 2, stderr: expect.stringContaining("not for a sync") });
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('"nothing"') });
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining("crm/contacts") });
  expect(code).toBe(0);

  const listed = await run("logs", "--function", "create-contact", "--json");
  const [operation] = JSON.parse(listed.stdout).data;
  const lines = await run("logs", "--function", "create-contact");
  const messages = await run("logs", operation.id);
  const connections = await run("connections", "--integration", "crm");
  const nobody = await run("connections", "--search", "nobody");

  expect(operation).toMatchObject({ state: "success", function: { name: "create-contact" } });
  expect(lines.stdout).toContain(operation.id);
  expect(lines.stdout).toContain("crm/create-contact");
  expect(messages).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`/dashboard/o/${operation.id}`),
  });
  expect(connections.stdout).toMatch(
    /^CONNECTION +INTEGRATION.*\nacme +crm +private-api-bearer +ok/,
  );
  expect(nobody.stdout).toContain("There is no such connection");
  expect(connections.stdout).not.toContain(crm.token);
});

test("init leaves a README alone that is there", async () => {
  await using other = await createTestFolder();
  const { writeFile, readFile } = await import("node:fs/promises");
  await writeFile(`${other.path}/Readme.md`, "mine");

  const made = await runJackfield({ cwd: other.path, args: ["init", "--json"] });
  const again = await runJackfield({ cwd: other.path, args: ["init"] });

  expect(JSON.parse(made.stdout).files).not.toContain("README.md");
  expect(JSON.parse(made.stdout).files).toContain("index.ts");
  expect(await readFile(`${other.path}/Readme.md`, "utf8")).toBe("mine");
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("overwrites nothing") });
});
