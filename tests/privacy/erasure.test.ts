import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  createEmptyDatabase,
  dumpDatabase,
} from "../../packages/server/src/foundation/testing/index.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { wakeWork } from "../wake-work.ts";

// A person leaves a mail address wherever an end user can; the records are stored in plain, so that a search sees them.

const MAIL = "ada.quay@people.example";
const OTHER = "bea.moor@people.example";

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let folder: DataFolder;
let platform: PlatformProcess;
let output = "";
let key = "";
let environmentId = "";
const vendor = createServer((request, response) => void answer(request, response));
let vendorUrl = "";

/** Refuses every token, and shows what each other call asks for. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = new URLSearchParams(await text(request));
  response.setHeader("content-type", "application/json");
  if (request.url !== "/token") {
    response.end(JSON.stringify({ seen: request.url }));
    return;
  }
  const refusal = {
    error: "invalid_grant",
    error_description: `${sent.get("refresh_token")} left`,
  };
  response.writeHead(400).end(JSON.stringify(refusal));
}

async function start(): Promise<void> {
  platform = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_LOG_LEVEL: "debug",
      SVC_RECORD_STORAGE: "plain",
    },
  });
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  folder = await makeDataFolder();
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  vendorUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  await start();
  key = platform.keys.get("dev") ?? "";
});
afterAll(async () => {
  await platform.stop();
  vendor.closeAllConnections();
  vendor.close();
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: object, headers: object = {}) {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  expect(response.status, `${method} ${path}: ${answer}`).toBeLessThan(300);
  return answer === "" ? undefined : JSON.parse(answer);
}

const any =
  "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
const flow = (type: string, syncName: string, body: string) => ({
  ...{ type, syncName, providerConfigKey: "crm", models: type === "sync" ? ["Person"] : [] },
  ...{ runs: type === "sync" ? "every day" : null, auto_start: true, track_deletes: false },
  ...(type === "sync" && {
    models_json_schema: {
      definitions: {
        Person: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
      },
    },
  }),
  fileBody: {
    js: `${any} module.exports.default = { type: "${type}", input: any, output: any, models: { Person: any }, exec: async (svc, input) => { ${body} } };`,
    ts: "",
  },
});

/** As a provider says whose account it is, which this one does not. */
async function tellAccount(connection: string, email: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  const account = { id: email, label: `At work: ${email}`, email };
  await client.query("update connections set account = $1 where connection_id = $2", [
    ...[account, connection],
  ]);
  await client.end();
}

/** All that an end user can leave. */
async function live(mail: string, connection: string): Promise<void> {
  const over = { "connection-id": connection, "provider-config-key": "crm" };
  await call("POST", "/connect/sessions", { tags: { end_user_id: mail, end_user_email: mail } });
  await call("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: connection },
    credentials: { type: "API_KEY", apiKey: "k" },
    tags: { end_user_id: mail, end_user_email: mail, end_user_display_name: `Of ${mail}` },
    metadata: { mail, deep: [{ mail }] },
  });
  await tellAccount(connection, mail);
  await call("GET", `/proxy/people/${encodeURIComponent(mail)}`, undefined, over);
  await call("POST", "/action/trigger", { action_name: "greet", input: { mail } }, over);
  await call(
    "POST",
    "/action/trigger",
    { action_name: "greet", input: { mail } },
    {
      ...over,
      "x-async": "true",
    },
  );
  const policy = { preset: "trusted" };
  await call("PUT", "/agent/toolsets/helper", { tools: [{ integration: "crm" }], policy });
  const body = { toolset: "helper", end_user_id: mail };
  const { data: session } = await call("POST", "/agent/sessions", body);
  const params = { name: "crm__greet", arguments: { mail } };
  await sendMcp(session, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await call("POST", "/connect/links", { tags: { end_user_id: mail, end_user_email: mail } });
  await call("POST", `/webhook/${environmentId}/crm`, {
    type: "contact.changed",
    contact: { mail },
  });
  const data = Buffer.from(JSON.stringify({ mailbox: mail })).toString("base64");
  await call("POST", `/webhook/${environmentId}/crm`, {
    type: "mailbox.changed",
    message: { data },
  });
  await lose(mail, `${connection}-mailbox`);
  await vi.waitFor(
    async () => {
      const query = `connection_id=${connection}&provider_config_key=crm&syncs=people`;
      const { syncs } = await call("GET", `/sync/status?${query}`);
      expect(syncs[0]).toMatchObject({ status: "SUCCESS" });
    },
    { timeout: 30_000, interval: 200 },
  );
}

/** A connection whose token the provider does not take any more, and says so in words about the person. */
async function lose(mail: string, connection: string): Promise<void> {
  const over = { provider_config_key: "mailbox", connection_id: connection };
  const expired = { access_token: "a", refresh_token: mail, expires_at: "2020-01-01T00:00:00Z" };
  await call("POST", "/connections", {
    ...{ ...over, credentials: { type: "OAUTH2", ...expired } },
    tags: { end_user_id: mail },
  });
  const path = `/connections/${connection}?provider_config_key=mailbox`;
  const response = await fetch(`${platform.url}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(424);
}

/** What base64 of any text makes of a part of it, wherever in the text that stands. */
function toBase64Forms(part: string): string[] {
  const { length } = Buffer.from(part);
  return [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(part)])
      .toString("base64")
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + length) * 8) / 6)),
  );
}

/** Also of base64 that is put into base64 again, as the bytes of a webhook are. */
function toEncodedForms(part: string): string[] {
  const once = toBase64Forms(part);
  return [...once, ...once.flatMap(toBase64Forms)];
}

/** The content of webhooks, which are encrypted: those that were received, and those that were sent. */
async function findInWebhooks(...texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const kind of ["inbox", "deliveries"]) {
    const { data } = await call("GET", `/webhooks/${kind}?limit=100`);
    for (const { id } of data) {
      const one = await call("GET", `/webhooks/${kind}/${id}`);
      const body = kind === "inbox" ? await call("GET", `/webhooks/inbox/${id}/body`) : undefined;
      const content = JSON.stringify([one, body]);
      if (texts.some((text) => content.includes(text))) found.push(kind);
    }
  }
  return [...new Set(found)];
}

async function getProblem() {
  const { data } = await call("GET", "/problems?limit=100");
  return data.find(({ kind }: { kind: string }) => kind === "needs_reauthorization");
}

async function sendMcp({ token }: { token: string }, message: object): Promise<void> {
  const response = await fetch(`${platform.url}/mcp/helper`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(message),
  });
  expect(await response.text()).toContain("content");
}

/** Where the text stands: tables, files, and what the server printed. */
async function find(name: string): Promise<string[]> {
  const plain = [name, encodeURIComponent(name), Buffer.from(name).toString("hex")];
  const forms = [...plain, ...toEncodedForms(name)];
  const holds = (content: string) => forms.some((form) => content.includes(form));
  const tables = (await dumpDatabase(database.connectionString))
    .filter((table) => holds(table.text))
    .map((table) => table.name.replace(/_(\d+|default|until)(_\d+)*$/, ""));
  const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found: string[] = [];
  for (const { parentPath, name: file } of files) {
    if (holds(await readFile(join(parentPath, file), "latin1"))) found.push(file);
  }
  return [...new Set([...tables, ...found, ...(holds(output + platform.output) ? ["log"] : [])])];
}

test("an erased end user is in no table, file or log afterwards, also when the server is killed meanwhile", {
  timeout: 360_000,
}, async () => {
  await call("POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: vendorUrl },
    settings: { forward_raw: true },
  });
  await call("POST", "/integrations", {
    ...{ provider: "oauth2-generic", unique_key: "mailbox" },
    credentials: { type: "OAUTH2", client_id: "c", client_secret: "s" },
    integration_config: {
      ...{ authorization_url: `${vendorUrl}/authorize`, token_url: `${vendorUrl}/token` },
      base_url: vendorUrl,
    },
  });
  environmentId = (await call("GET", "/environment")).data.id;
  const save = `const { metadata } = await svc.getConnection(); await svc.log("met " + metadata.mail, { level: "error" });
    await svc.setMetadata({ ...metadata, again: metadata.mail });
    await svc.batchSave([{ id: metadata.mail, mail: metadata.mail }], "Person");`;
  const greet = `await svc.log("hello " + input.mail, { level: "error" });
    await svc.log("packed", { state: btoa(JSON.stringify(input)) }, { level: "error" }); return input;`;
  const flowConfigs = [flow("action", "greet", greet), flow("sync", "people", save)];
  await call("POST", "/sync/deploy", { flowConfigs, reconcile: false });
  await call("PATCH", "/environment/webhooks", { primary_url: `${vendorUrl}/hook` });
  await live(MAIL, "customer-1");
  await live(OTHER, "customer-2");
  const over = { "connection-id": "customer-2", "provider-config-key": "crm" };
  await call("POST", "/action/trigger", { action_name: "greet", input: { mail: MAIL } }, over);
  const problem = await vi.waitFor(
    async () => {
      await wakeWork(database);
      const found = await getProblem();
      expect(found?.connections.count).toBe(2);
      return found;
    },
    // A busy machine is late.
    { timeout: 150_000, interval: 1000 },
  );
  await call("PATCH", `/problems/${problem.id}`, { note: `asked ${MAIL}` });
  const before = await find(MAIL);
  const namesBefore = await find("customer-1");
  const webhooksBefore = await findInWebhooks(MAIL);
  const encodedBefore = await findInWebhooks(...toEncodedForms(MAIL));
  const others = await find(OTHER);

  const { data: begun } = await call("DELETE", `/end-users/${encodeURIComponent(MAIL)}`);
  output += platform.output;
  await platform.kill();
  await start();
  const receipt = await vi.waitFor(
    async () => {
      const { data } = await call("GET", `/erasures/${begun.id}`);
      expect(data.state).toBe("done");
      return data;
    },
    { timeout: 120_000, interval: 500 },
  );

  expect(before.toSorted()).toEqual(
    expect.arrayContaining([
      "agent_calls",
      "agent_sessions",
      "connect_links",
      "connect_sessions",
      "connections",
      "operation_messages",
      "operations",
      "problems",
      "records",
    ]),
  );
  expect(namesBefore).toContain("problems");
  expect(webhooksBefore).toEqual(["inbox", "deliveries"]);
  expect(encodedBefore).toEqual(["inbox", "deliveries"]);
  expect(before).not.toContain("log");
  expect(receipt.erased).toMatchObject({
    ...{ connections: 2, connect_sessions: 1, connect_links: 1, record_models: 1 },
    ...{ received_webhooks: 2, problems: 1 },
  });
  expect(receipt.erased.runs).toBeGreaterThan(0);
  expect(receipt.erased).toMatchObject({ actions: 1, agent_sessions: 1, agent_calls: 1 });
  expect(receipt.erased.webhook_deliveries).toBeGreaterThan(0);
  expect(receipt.erased.log_operations).toBeGreaterThan(0);
  expect(await find(MAIL)).toEqual([]);
  expect(await find("customer-1")).toEqual([]);
  expect(await findInWebhooks(MAIL, ...toEncodedForms(MAIL))).toEqual([]);
  expect(await findInWebhooks(OTHER)).toEqual(["inbox", "deliveries"]);
  expect(await findInWebhooks(...toEncodedForms(OTHER))).toEqual(["inbox", "deliveries"]);
  const kept = others.filter((name) => name !== "problems");
  expect(await find(OTHER)).toEqual(expect.arrayContaining(kept));
  expect((await getProblem()).connections.sample).toEqual(["customer-2-mailbox"]);
  const { data: listed } = await call("GET", `/erasures?end_user_id=${encodeURIComponent(MAIL)}`);
  expect(listed).toEqual([receipt]);
});
