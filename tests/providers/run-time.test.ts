import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProvider } from "@jackfield/catalogue";
import { startVendor, tryProvider } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";
import { apiOf } from "../journeys/api.ts";

let folder: string;
let api: ApiUnderTest;
let call: ReturnType<typeof apiOf>;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "jackfield-providers-"));
  await writeFile(
    join(folder, "broken.yaml"),
    "family: broken\nname: Broken\nvariants: [{ id: broken }]",
  );
  await writeFile(join(folder, "harbour.yaml"), fileOf("harbour", "https://api.harbour.example"));
  api = await startApi({ SVC_PROVIDERS_DIR: folder });
  key = await api.keyOf("dev", ["environment:*"]);
  call = apiOf(api.url, key);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function entryOf(id: string, base: string) {
  return {
    id,
    display_name: `Own ${id}`,
    categories: ["crm"],
    auth_mode: "API_KEY",
    base_url: base,
    api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
    verification: { path: "/me" },
    credentials: { apiKey: { title: "Key", description: "Made under Settings.", secret: true } },
  };
}

function fileOf(family: string, base: string): string {
  const { id: _id, ...shared } = entryOf(family, base);
  return JSON.stringify({ family, name: family, shared, variants: [{ id: family }] });
}

function providerOf(entry: object) {
  const { provider } = readProvider(entry);
  if (provider === undefined) throw new Error("the test's entry is wrong");
  return provider;
}

test("a provider of the folder is used like a built-in one, regardless of what else is there", async () => {
  await using vendor = await startVendor(
    providerOf(entryOf("harbour", "https://api.harbour.example")),
  );

  const listed = await call("GET", "/providers?search=harbour");
  const broken = await call("GET", "/providers/broken");
  const failed = await tryProvider({ url: api.url, key }, vendor);

  expect(listed.body).toMatchObject({ data: [{ name: "harbour", family: "harbour" }] });
  expect(broken.status).toBe(404);
  expect(failed).toEqual([]);
});

test("a changed file counts within a second or so, and a removed one is reported", async () => {
  const path = join(folder, "quay.yaml");
  const baseOf = async () => {
    const { body } = await call("GET", "/providers/quay");
    return body.data?.proxy?.base_url;
  };

  await writeFile(path, fileOf("quay", "https://one.quay.example"));
  await vi.waitFor(async () => expect(await baseOf()).toBe("https://one.quay.example"), 10_000);
  await call("POST", "/integrations", { body: { provider: "quay", unique_key: "quay" } });
  await writeFile(path, fileOf("quay", "https://two.quay.example/v2"));
  await vi.waitFor(async () => expect(await baseOf()).toBe("https://two.quay.example/v2"), 10_000);
  await rm(path);
  await vi.waitFor(async () => expect(await baseOf()).toBeUndefined(), 10_000);
  const orphan = await call("GET", "/integrations/quay");

  expect(orphan.body).toMatchObject({
    error: {
      code: "unknown_provider_template",
      message: expect.stringMatching(/SVC_PROVIDERS_DIR/),
    },
  });
});

test("a custom provider works, and integrations stay with their version unless they follow", async () => {
  const first = entryOf("lagoon", "https://one.lagoon.example");
  const second = entryOf("lagoon", "https://two.lagoon.example");
  const created = await call("POST", "/custom-providers", { body: { entry: first } });
  await using vendor = await startVendor(providerOf(first));
  const failed = await tryProvider({ url: api.url, key, integrationKey: "pinned" }, vendor);
  await call("POST", "/integrations", {
    body: { provider: "lagoon", unique_key: "following", settings: { provider_version: "latest" } },
  });

  const changed = await call("PATCH", "/custom-providers/lagoon", { body: { entry: second } });
  const pinned = await call("GET", "/integrations/pinned");
  const following = await call("GET", "/integrations/following");
  const caughtUp = await call("PATCH", "/integrations/pinned", {
    body: { settings: { provider_version: "latest" } },
  });
  const listed = await call("GET", "/providers/lagoon");
  const deleted = await call("DELETE", "/custom-providers/lagoon");
  const gone = await call("GET", "/custom-providers/lagoon");
  const kept = await call("GET", "/integrations/following");

  expect(created.body).toMatchObject({ data: { slug: "lagoon", version: 1, entry: first } });
  expect(failed).toEqual([]);
  expect(changed.body.data.version).toBe(2);
  expect(pinned.body.data.provider_version).toBe(1);
  expect(following.body.data.provider_version).toBe(2);
  expect(caughtUp.body.data.provider_version).toBe(2);
  expect(listed.body).toMatchObject({
    data: { custom_version: 2, proxy: { base_url: "https://two.lagoon.example" } },
  });
  expect([deleted.status, gone.status, kept.status]).toEqual([200, 404, 200]);
});

test("an entry with faults is refused with each of them, and checked without being kept", async () => {
  const entry = { ...entryOf("reef", "http://api.reef.example/"), nonsense: 1 };

  const refused = await call("POST", "/custom-providers", { body: { entry } });
  const taken = await call("POST", "/custom-providers", {
    body: { entry: entryOf("github", "https://a.example") },
  });
  const checked = await call("POST", "/providers/validate", { body: { entry } });
  const file = await call("POST", "/providers/validate", {
    body: { file: fileOf("reef", "https://api.reef.example") },
  });

  expect(refused.body.error).toMatchObject({
    code: "invalid_body",
    message: expect.stringMatching(/nonsense/),
  });
  expect(taken.body.error.message).toMatch(/replaces_built_in/);
  expect(checked.body.data).toMatchObject({ valid: false, providers: [] });
  expect(checked.body.data.faults.join()).toMatch(/nonsense/);
  expect(file.body.data).toEqual({ valid: true, providers: ["reef"], faults: [] });
});

test("a custom provider may stand in for a built-in one in its own environment alone", async () => {
  const entry = entryOf("hubspot", "https://api.own-hubspot.example");
  const prod = apiOf(api.url, await api.keyOf("prod", ["environment:*"]));

  await call("POST", "/custom-providers", { body: { entry, replaces_built_in: true } });
  const own = await call("GET", "/providers/hubspot");
  const theirs = await prod("GET", "/providers/hubspot");

  expect(own.body.data.display_name).toBe("Own hubspot");
  expect(theirs.body.data.display_name).toBe("HubSpot");
});

test("an integration says single facts otherwise, and only those that its mode has", async () => {
  const base = "https://sandbox.own-openai.example/v9";
  const moved = { ...entryOf("x", base), headers: { "x-team": "blue" } };
  await using vendor = await startVendor(providerOf(moved));
  const overrides = { base_url: base, headers: { "x-team": "blue" }, simulator_url: vendor.origin };
  const made = await call("POST", "/integrations", {
    body: { provider: "harbour", unique_key: "moved", settings: { overrides } },
  });
  const wrong = await call("POST", "/integrations", {
    body: {
      provider: "harbour",
      unique_key: "wrong",
      settings: { overrides: { token_url: "https://a.example" } },
    },
  });
  const connected = await call("POST", "/connections", {
    body: {
      provider_config_key: "moved",
      connection_id: "c",
      credentials: { type: "API_KEY", apiKey: vendor.samples.credentials["apiKey"] },
    },
  });
  const answer = await call("GET", "/proxy/thing", {
    headers: { "provider-config-key": "moved", "connection-id": "c" },
  });

  expect([made.status, connected.status, answer.status]).toEqual([200, 201, 200]);
  expect(answer.body.path).toBe("/thing");
  expect(vendor.refusals).toEqual([]);
  expect(wrong.body.error.message).toMatch(/token_url/);
});

test("a simulator has to be at an address that the operator has opened", async () => {
  await call("POST", "/integrations", {
    body: {
      provider: "harbour",
      unique_key: "closed",
      settings: { overrides: { simulator_url: "http://192.0.2.1:4010" } },
    },
  });

  const refused = await call("POST", "/connections", {
    body: { provider_config_key: "closed", credentials: { type: "API_KEY", apiKey: "k" } },
  });

  expect(refused.body.error).toMatchObject({
    code: "destination_not_allowed",
    message: expect.stringMatching(/SVC_EGRESS_ALLOW/),
  });
});
