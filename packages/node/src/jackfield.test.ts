import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Jackfield, JackfieldError } from "./index.ts";
import { type StubPlatform, startStubPlatform } from "./testing/stub-platform.ts";

let platform: StubPlatform;
let jackfield: Jackfield;
beforeAll(async () => {
  platform = await startStubPlatform();
  jackfield = new Jackfield({ apiKey: "key", host: `${platform.url}/` });
});
afterAll(async () => await platform[Symbol.asyncDispose]());
beforeEach(() => {
  platform.seen.length = 0;
});

const at = { provider_config_key: "crm", connection_id: "c 1" };
const calls: [string, (client: Jackfield) => Promise<unknown>, string, unknown?][] = [
  ["listProviders", (j) => j.listProviders({ search: "a" }), "GET /providers?search=a"],
  ["getProvider", (j) => j.getProvider({ provider: "p" }), "GET /providers/p"],
  ["listIntegrations", (j) => j.listIntegrations(), "GET /integrations"],
  [
    "getIntegration",
    (j) => j.getIntegration({ uniqueKey: "a/b" }, { include: ["webhook", "credentials"] }),
    "GET /integrations/a%2Fb?include=webhook&include=credentials",
  ],
  [
    "createIntegration",
    (j) => j.createIntegration({ provider: "p", unique_key: "k" }),
    "POST /integrations",
    { provider: "p", unique_key: "k" },
  ],
  [
    "updateIntegration",
    (j) => j.updateIntegration({ uniqueKey: "k" }, { unique_key: "n" }),
    "PATCH /integrations/k",
    { unique_key: "n" },
  ],
  ["deleteIntegration", (j) => j.deleteIntegration("k"), "DELETE /integrations/k"],
  [
    "listFunctions",
    (j) => j.listFunctions("k", { type: "sync", page: 1 }),
    "GET /integrations/k/functions?type=sync&page=1",
  ],
  ["getFunction", (j) => j.getFunction("k", "f"), "GET /integrations/k/functions/f"],
  ["getFunctionCode", (j) => j.getFunctionCode("k", "f"), "GET /integrations/k/functions/f/code"],
  [
    "deleteFunction",
    (j) => j.deleteFunction("k", "f", "sync"),
    "DELETE /integrations/k/functions/f?type=sync",
  ],
  ["getScriptsConfig", (j) => j.getScriptsConfig("llm"), "GET /scripts/config?format=llm"],
  [
    "listConnections",
    (j) => j.listConnections({ integrationId: ["a", "b"], tags: { team: "x" }, limit: 5 }),
    "GET /connections?tags%5Bteam%5D=x&limit=5&integrationId=a%2Cb",
  ],
  [
    "getConnection",
    (j) => j.getConnection("crm", "c 1", true, true),
    "GET /connections/c%201?provider_config_key=crm&force_refresh=true&refresh_token=true",
  ],
  [
    "importConnection",
    (j) => j.importConnection({ provider_config_key: "crm", credentials: { type: "NONE" } }),
    "POST /connections",
    { provider_config_key: "crm", credentials: { type: "NONE" } },
  ],
  [
    "patchConnection",
    (j) => j.patchConnection({ connectionId: "c", provider_config_key: "k" }, { tags: { a: "b" } }),
    "PATCH /connections/c?provider_config_key=k",
    { tags: { a: "b" } },
  ],
  [
    "deleteConnection",
    (j) => j.deleteConnection("crm", "c"),
    "DELETE /connections/c?provider_config_key=crm",
  ],
  [
    "setMetadata",
    (j) => j.setMetadata("crm", "c 1", { a: 1 }),
    "POST /connections/metadata",
    { ...at, metadata: { a: 1 } },
  ],
  [
    "updateMetadata",
    (j) => j.updateMetadata("crm", "c 1", { a: 1 }),
    "PATCH /connections/metadata",
    { ...at, metadata: { a: 1 } },
  ],
  ["createConnectSession", (j) => j.createConnectSession(), "POST /connect/sessions", {}],
  [
    "createReconnectSession",
    (j) => j.createReconnectSession({ connection_id: "c", integration_id: "k" }),
    "POST /connect/sessions/reconnect",
    { connection_id: "c", integration_id: "k" },
  ],
  [
    "listRecords",
    (j) =>
      j.listRecords({
        providerConfigKey: "crm",
        connectionId: "c",
        model: "Contact",
        filter: ["added", "updated"],
        ids: ["1", "2"],
      }),
    "GET /records?model=Contact&ids=1&ids=2&filter=added%2Cupdated",
  ],
  [
    "pruneRecords",
    (j) =>
      j.pruneRecords({ providerConfigKey: "k", connectionId: "c", model: "M", untilCursor: "x" }),
    "PATCH /records/prune",
    { model: "M", until_cursor: "x" },
  ],
  [
    "triggerSync",
    (j) => j.triggerSync("crm", ["a"], "c 1", { reset: true }),
    "POST /sync/trigger",
    { ...at, syncs: ["a"], opts: { reset: true } },
  ],
  [
    "startSync",
    (j) => j.startSync("crm", ["a"], "c 1"),
    "POST /sync/start",
    { ...at, syncs: ["a"] },
  ],
  [
    "pauseSync",
    (j) => j.pauseSync("crm", ["a"], "c 1"),
    "POST /sync/pause",
    { ...at, syncs: ["a"] },
  ],
  [
    "syncStatus",
    (j) => j.syncStatus("crm", ["a", { name: "b", variant: "v" }]),
    "GET /sync/status?provider_config_key=crm&syncs=a%2Cb%3A%3Av",
  ],
  [
    "updateSyncConnectionFrequency",
    (j) => j.updateSyncConnectionFrequency("crm", { name: "a", variant: "v" }, "c 1", null),
    "PUT /sync/update-connection-frequency",
    { ...at, sync_name: "a", sync_variant: "v", frequency: null },
  ],
  [
    "createSyncVariant",
    (j) => j.createSyncVariant({ ...at, name: "a", variant: "v" }),
    "POST /sync/a/variant/v",
    at,
  ],
  [
    "deleteSyncVariant",
    (j) => j.deleteSyncVariant({ ...at, name: "a", variant: "v" }),
    "DELETE /sync/a/variant/v",
    at,
  ],
  [
    "triggerAction",
    (j) => j.triggerAction("crm", "c", "act", { a: 1 }),
    "POST /action/trigger",
    { action_name: "act", input: { a: 1 } },
  ],
  [
    "triggerActionAsync",
    (j) => j.triggerActionAsync("crm", "c", "act", 0, { maxRetries: 2 }),
    "POST /action/trigger",
    { action_name: "act", input: 0 },
  ],
  ["getAsyncActionResult", (j) => j.getAsyncActionResult({ id: "i" }), "GET /action/i"],
  ["getEnvironmentVariables", (j) => j.getEnvironmentVariables(), "GET /environment-variables"],
];

test.each(calls)("%s calls the route of the contract", async (_name, call, line, body) => {
  await call(jackfield);

  const [request] = platform.seen;
  expect(`${request?.method} ${request?.url}`).toBe(line);
  expect(request?.headers.authorization).toBe("Bearer key");
  expect(request?.body === "" ? undefined : JSON.parse(request?.body ?? "")).toEqual(body);
});

/** Routes that other parts of the API are still to bring. */
const notYet = [
  "/integrations/{uniqueKey}/functions",
  "/integrations/{uniqueKey}/functions/{name}",
  "/integrations/{uniqueKey}/functions/{name}/code",
  "/scripts/config",
  "/records/prune",
  "/sync/update-connection-frequency",
  "/sync/{name}/variant/{variant}",
  "/action/{id}",
];

test("every path is one of the API's", async () => {
  const file = new URL("../../contract/openapi.json", import.meta.url);
  const { paths } = JSON.parse(await readFile(file, "utf8"));
  const known = [...Object.keys(paths), ...notYet].map(
    (path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  );

  const unknown = calls
    .map(([, , line]) => line.split(" ")[1]?.split("?")[0] ?? "")
    .filter((path) => !known.some((pattern) => pattern.test(path)));

  expect(unknown).toEqual([]);
});

test("needs a key, takes it under its older name too, and says where it looks", async () => {
  expect(() => new Jackfield({})).toThrow("Pass the key of an environment as `apiKey`.");
  await new Jackfield({ secretKey: "old", host: platform.url }).listIntegrations();
  expect(platform.seen[0]?.headers.authorization).toBe("Bearer old");
});

const failure = { code: "not_found", message: "No.", errors: [{ path: ["a"] }] };

test("failures are typed: code, status, message, details", async () => {
  platform.answer({ status: 404, body: { error: failure } }, { status: 500, body: "oops" });

  const told = await jackfield.listIntegrations().catch((error: unknown) => error);
  const odd = await jackfield.listIntegrations().catch((error: unknown) => error);

  expect(told).toBeInstanceOf(JackfieldError);
  expect(told).toMatchObject({ ...failure, status: 404 });
  expect(odd).toMatchObject({ code: "unexpected_answer", status: 500 });
});

test("tries reads again when a failure passes, never more than three times", async () => {
  platform.answer({ hangUp: true }, { status: 503, body: {} }, { body: { configs: [1] } });
  const third = await jackfield.listIntegrations();
  platform.answer({ status: 502 }, { status: 503 }, { status: 504 });
  const given = await jackfield.listIntegrations().catch((error: unknown) => error);

  expect(third).toEqual({ configs: [1] });
  expect(given).toMatchObject({ status: 504 });
  expect(platform.seen).toHaveLength(6);
});

test("tries changes again only with an idempotency key, and sends the same one", async () => {
  const body = { provider: "p", unique_key: "k" };
  platform.answer({ status: 503, body: { error: { code: "overloaded" } } });
  const once = await jackfield.createIntegration(body).catch((error: unknown) => error);
  platform.answer({ hangUp: true }, { body: { data: 1 } });
  const twice = await jackfield.createIntegration(body, { idempotencyKey: "i-1" });

  expect(once).toMatchObject({ code: "overloaded", status: 503 });
  expect(twice).toEqual({ data: 1 });
  expect(platform.seen.map(({ headers }) => headers["idempotency-key"])).toEqual([
    undefined,
    "i-1",
    "i-1",
  ]);
});

test("says when the platform cannot be reached, and stops when told", async () => {
  const nowhere = new Jackfield({ apiKey: "key", host: "http://127.0.0.1:1" });
  const stopped = AbortSignal.abort(new Error("stop"));

  await expect(nowhere.listIntegrations()).rejects.toMatchObject({ code: "network_error" });
  await expect(jackfield.createConnectSession({}, { signal: stopped })).rejects.toThrow("stop");
});

test("goes through records page by page", async () => {
  platform.answer(
    { body: { records: [{ id: "1" }], next_cursor: "n 1" } },
    { body: { records: [{ id: "2" }], next_cursor: null } },
  );
  const query = { providerConfigKey: "crm", connectionId: "c", model: "Contact" };

  const ids: string[] = [];
  for await (const { records } of jackfield.recordPages<{ name: string }>(query)) {
    ids.push(...records.map(({ id }) => id));
  }

  expect(ids).toEqual(["1", "2"]);
  expect(platform.seen.map(({ url }) => url)).toEqual([
    "/records?model=Contact",
    "/records?model=Contact&cursor=n+1",
  ]);
  expect(platform.seen[0]?.headers).toMatchObject({
    "provider-config-key": "crm",
    "connection-id": "c",
  });
});

test("gives tokens in the form that the authorisation has", async () => {
  platform.answer(
    { body: { credentials: { type: "OAUTH2", access_token: "at", raw: { a: 1 } } } },
    { body: { credentials: { type: "BASIC", username: "u", password: "p" } } },
    { body: { credentials: { raw: { a: 1 } }, metadata: null } },
    { body: { metadata: null } },
  );

  expect(await jackfield.getToken("crm", "c")).toBe("at");
  expect(await jackfield.getToken("crm", "c")).toMatchObject({ username: "u" });
  expect(await jackfield.getRawTokenResponse("crm", "c")).toEqual({ a: 1 });
  expect(await jackfield.getMetadata("crm", "c")).toEqual({});
});

test("waits for the connection of a session, with the session's own token", async () => {
  const done = { state: "success", connection_id: "c", provider_config_key: "crm" };
  const failed = { state: "error", error: { type: "window_closed", message: "Closed." } };
  platform.answer({ body: { data: { state: "waiting" } } }, { body: { data: done } });
  const result = await jackfield.waitForConnection("session");
  platform.answer({ body: { data: failed } });
  const refused = jackfield.waitForConnection("session");
  await expect(refused).rejects.toMatchObject({ code: "window_closed", message: "Closed." });
  platform.answer({ body: { data: { state: "waiting" } } });
  const late = jackfield.waitForConnection("session", { timeout: 0 });
  await expect(late).rejects.toMatchObject({ code: "timeout" });

  expect(result).toEqual({ connectionId: "c", providerConfigKey: "crm", isPending: false });
  expect(platform.seen[0]?.headers.authorization).toBe("Bearer session");
});

test("waits for an async action while it is pending, and not for an unknown one", async () => {
  const pending = { status: 404, headers: { "retry-after": "1" }, body: { error: failure } };
  platform.answer(pending, { body: { done: true } });
  const output = await jackfield.getAsyncActionResult(
    { statusUrl: "/action/i" },
    { waitFor: 5000 },
  );
  platform.answer({ status: 404, body: { error: failure } });
  const unknown = jackfield.getAsyncActionResult({ id: "i" }, { waitFor: 5000 });
  await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  platform.answer(pending);
  await expect(jackfield.getAsyncActionResult({ id: "i" })).rejects.toMatchObject({ status: 404 });

  expect(output).toEqual({ done: true });
  expect(platform.seen).toHaveLength(4);
});
