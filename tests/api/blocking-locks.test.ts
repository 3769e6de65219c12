import { createServer } from "node:http";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";

// A lock that is waited for serializes what many processes do at once: waiting on one was the largest statement of a
// busy installation. Work that is done all the time takes none; deployments and other rare changes may.

const taken: string[] = [];
const plain = pg.Client.prototype.query;
let isWatching = false;

function watchLocks(): void {
  Object.defineProperty(pg.Client.prototype, "query", {
    configurable: true,
    writable: true,
    value: function watched(this: pg.Client, first: unknown, ...rest: unknown[]) {
      const text = typeof first === "string" ? first : String(Object(first).text);
      if (isWatching && /\bpg_advisory(_xact)?_lock|\block table\b/i.test(text)) taken.push(text);
      return Reflect.apply(plain, this, [first, ...rest]);
    },
  });
}

const any = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };`;
const sync = `${any} module.exports.default = { type: "sync", models: { Row: any }, exec: async (svc) => {
  await svc.batchSave([{ id: "1", at: Date.now() }], "Row");
  await svc.batchDelete([{ id: "2" }], "Row");
  await svc.log("saved");
} };`;
const action = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => {
  await svc.setMetadata({ at: Date.now() });
  return input;
} };`;

const flow = { providerConfigKey: "crm", version: "1" };
const models_json_schema = { definitions: { Row: { type: "object" } } };
const rows = { type: "sync", syncName: "rows", runs: "every day", auto_start: false };
const flowConfigs = [
  { ...flow, ...rows, models: ["Row"], models_json_schema, fileBody: { js: sync, ts: "" } },
  {
    ...{ ...flow, type: "action", syncName: "echo", runs: null, models: [] },
    fileBody: { js: action, ts: "" },
  },
];

let api: ApiUnderTest;
let key = "";
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  watchLocks();
  stack.defer(() => {
    pg.Client.prototype.query = plain;
  });
  api = stack.use(await startApi());
  key = await api.keyOf("dev", ["environment:*"]);
  const receiver = createServer((_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  stack.defer(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const address = receiver.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  await send("PATCH", "/environment/webhooks", { primary_url: url });
  await send("POST", "/integrations", { provider: "unauthenticated", unique_key: "crm" });
  await send("POST", "/connections", {
    provider_config_key: "crm",
    connection_id: "acme",
    credentials: { type: "NONE" },
  });
  await send("POST", "/sync/deploy", { flowConfigs, reconcile: false });
}, 120_000);
afterAll(async () => await stack.disposeAsync());

async function send(
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${key}`,
      "provider-config-key": "crm",
      "connection-id": "acme",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

const works: Record<string, () => Promise<void>> = {
  "a sync that saves and deletes records": async () => {
    await send("POST", "/sync/trigger", { syncs: ["rows"] });
    await expect
      .poll(async () => await send("GET", "/records?model=Row"), { timeout: 60_000 })
      .toMatchObject({ records: [{ id: "1" }] });
  },
  "an action": async () => {
    await send("POST", "/action/trigger", { action_name: "echo", input: 1 });
  },
  "an asynchronous action": async () => {
    const call = { action_name: "echo", input: 2 };
    const started = await send("POST", "/action/trigger", call, { "x-async": "true" });
    const { statusUrl }: { statusUrl?: string } = Object(started);
    await expect.poll(async () => await send("GET", statusUrl ?? "/"), { timeout: 60_000 }).toBe(2);
  },
};

test.each(Object.entries(works))(
  "%s waits for no lock of the whole installation",
  async (_name, work) => {
    // The first of its kind finds the partitions of the day missing.
    await work();
    taken.length = 0;
    isWatching = true;
    await work();
    isWatching = false;

    expect(taken).toEqual([]);
  },
);

test("the watch sees the lock of a deployment", async () => {
  isWatching = true;
  await send("POST", "/sync/deploy", { flowConfigs, reconcile: false });
  isWatching = false;

  expect(taken).not.toEqual([]);
});
