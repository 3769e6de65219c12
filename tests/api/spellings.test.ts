import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";

// The camelCase spelling of each name, and a name in header, query or body.

let api: ApiUnderTest;
let key = "";
const place = { provider_config_key: "crm", connection_id: "acme" };
const camelPlace = { providerConfigKey: "crm", connectionId: "acme" };

beforeAll(async () => {
  api = await startApi();
  key = await api.keyOf("dev", ["environment:*"]);
  await done("POST", "/integrations", { provider: "unauthenticated", unique_key: "crm" });
  const { provider_config_key } = place;
  await done("POST", "/connections", { ...place, credentials: { type: "NONE" } });
  const any = "{ safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) }";
  const code = (fields: string): { js: string; ts: string } => ({
    js: `const any = ${any}; module.exports.default = { ${fields} };`,
    ts: "",
  });
  const base = { providerConfigKey: provider_config_key, models: [] };
  await done("POST", "/sync/deploy", {
    reconcile: false,
    flowConfigs: [
      {
        ...base,
        type: "sync",
        syncName: "contacts",
        runs: "every hour",
        auto_start: false,
        fileBody: code(`type: "sync", models: {}, exec: async () => {}`),
      },
      {
        ...base,
        type: "action",
        syncName: "greet",
        runs: null,
        fileBody: code(`type: "action", input: any, output: any, exec: async () => "hello"`),
      },
    ],
  });
}, 60_000);
afterAll(async () => await api[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;

async function call(method: string, path: string, body: object, headers: Headers = {}) {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const answer = JSON.parse(await response.text());
  return { status: response.status, answer, fault: answer?.error?.message };
}

async function done(method: string, path: string, body: object): Promise<void> {
  const { status, fault } = await call(method, path, body);
  expect(fault).toBeUndefined();
  expect(status).toBeLessThan(300);
}

test.each([
  { ...place, sync_name: "contacts" },
  { ...place, sync_name: "contacts", sync_variant: "base" },
  { ...camelPlace, syncName: "contacts" },
  { ...camelPlace, sync: "contacts" },
  { ...camelPlace, sync: { name: "contacts", variant: "base" } },
  { ...place, sync: "contacts::base", sync_name: "contacts" },
])("the frequency of a sync is set with %j", async (names) => {
  const path = "/sync/update-connection-frequency";

  const { status, answer } = await call("PUT", path, { ...names, frequency: "every 2 days" });

  expect({ status, answer }).toEqual({ status: 200, answer: { frequency: "every 2 days" } });
});

test.each([
  [{ ...place }, "`sync_name` is missing."],
  [
    { ...place, sync: "contacts", sync_name: "others" },
    "`sync` is another sync than `sync_name`; send one of the two.",
  ],
  [
    { ...place, sync: "contacts", sync_variant: "v2" },
    "`sync` is another sync than `sync_name`; send one of the two.",
  ],
  [
    { ...place, sync: "contacts", providerConfigKey: "other" },
    "`providerConfigKey` is the same as `provider_config_key`, with another value; send one of the two.",
  ],
])("a sync that is named twice or not at all is refused: %j", async (names, message) => {
  const path = "/sync/update-connection-frequency";

  const { status, fault } = await call("PUT", path, { ...names, frequency: null });

  expect({ status, fault }).toEqual({ status: 400, fault: message });
});

test("a trigger takes integration and connection from its headers, too", async () => {
  const headers = { "provider-config-key": "crm", "connection-id": "acme" };
  const unknown = { ...headers, "connection-id": "nobody" };

  const triggered = await call("POST", "/sync/trigger", { syncs: ["contacts"] }, headers);
  const elsewhere = await call("POST", "/sync/trigger", { syncs: ["contacts"] }, unknown);
  const nowhere = await call("POST", "/sync/trigger", { syncs: ["contacts"] });
  const inQuery = await call("POST", "/sync/trigger?providerConfigKey=crm&connection_id=acme", {
    syncs: ["contacts"],
  });
  const other = { syncs: ["contacts"], connection_id: "other" };
  const torn = await call("POST", "/sync/trigger", other, headers);

  expect(inQuery).toMatchObject({ status: 200, answer: { success: true } });
  expect(torn).toMatchObject({ status: 400, answer: { error: { code: "invalid_body" } } });
  expect(triggered).toMatchObject({ status: 200, answer: { success: true } });
  expect(elsewhere).toMatchObject({
    status: 404,
    answer: { error: { code: "unknown_connection" } },
  });
  const message = "Name the integration as `provider_config_key`.";
  expect(nowhere).toMatchObject({
    status: 400,
    answer: { message, error: { code: "missing_provider_config_key", message } },
  });
});

test("the older full_resync is a reset, and does not stand next to opts", async () => {
  const wanted = { ...camelPlace, syncs: ["contacts"], full_resync: true };

  const alone = await call("POST", "/sync/trigger", wanted);
  const both = await call("POST", "/sync/trigger", { ...wanted, opts: { reset: true } });

  expect(alone).toMatchObject({ status: 200, answer: { success: true } });
  expect(both).toMatchObject({ status: 400, answer: { error: { code: "invalid_body" } } });
});

test("an action is named by actionName, too", async () => {
  const headers = { "provider-config-key": "crm", "connection-id": "acme" };
  const both = { actionName: "greet", action_name: "other" };

  const named = await call("POST", "/action/trigger", { actionName: "greet" }, headers);
  const twice = await call("POST", "/action/trigger", both, headers);

  expect(named).toMatchObject({ status: 200, answer: "hello" });
  expect(twice).toMatchObject({ status: 400, answer: { error: { code: "invalid_body" } } });
});
