import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  describeIntegration,
  startMcpServer,
  startVendor,
  type Vendor,
} from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startFakeCrm } from "../../packages/cli/src/testing/fake-crm.ts";
import { startFakeNango } from "../../packages/cli/src/testing/fake-nango.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { startWebhookReceiver } from "../journeys/webhook-receiver.ts";
import { requireTool } from "../require-tool.ts";
import { type Block, readBlocks, runPage } from "./run-page.ts";
import {
  type DocsServer,
  expectShown,
  type PageReader,
  startDocsServer,
  startReader,
} from "./start-reader.ts";

const SECOND = 1000;
let server: DocsServer;

beforeAll(async () => {
  server = await startDocsServer();
}, 120 * SECOND);
afterAll(async () => await server[Symbol.asyncDispose]());

/** What a page takes for granted: it shows a command for what its reader already has. */
type Given = (reader: PageReader, stack: AsyncDisposableStack) => Promise<Readings>;

interface Readings {
  /** What the reader writes in place of the page's text. */
  readonly replace?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: (block: Block) => Promise<void>;
}

const nothing: Given = async () => ({});

const pages: Readonly<Record<string, Given>> = {
  "README.md": async (reader, stack) => {
    const openai = stack.use(await startVendor("openai"));
    return {
      replace: { "http://127.0.0.1:4010": openai.origin },
      async before({ text }) {
        if (text.includes("/records?model=File"))
          await waitForRecords(reader, "File", ["ai", "acme"]);
      },
    };
  },
  "docs/quick-start.md": async (_reader, stack) => {
    const openai = stack.use(await startVendor("openai"));
    return { replace: { "http://127.0.0.1:4010": openai.origin } };
  },
  "docs/mcp-servers.md": async (_reader, stack) => {
    const desk = stack.use(await startMcpServer());
    return { replace: { "http://127.0.0.1:4010": desk.origin, "mcp-key": desk.key } };
  },
  "docs/agents.md": async (reader, stack) => {
    await connect(reader, stack, "hubspot", { connection: "customer-1" });
    await reader.api("POST", "/integrations", {
      body: { provider: "google-mail", unique_key: "gmail" },
    });
    return {};
  },
  "docs/agent-scripts.md": async (reader, stack) => {
    await connect(reader, stack, "hubspot", { connection: "customer-1" });
    const flowConfigs = [
      newFlow("list-contacts", '[{ id: "1", city: "Oslo" }, { id: "2", city: "Rome" }]'),
      newFlow("add-note", '{ id: "n" + input.contact }'),
    ];
    await reader.api("POST", "/sync/deploy", { body: { flowConfigs, reconcile: false } });
    const settings = { mode: "code", tools: [{ integration: "hubspot" }] };
    const toolset = { ...settings, policy: { preset: "trusted" } };
    await reader.api("PUT", "/agent/toolsets/crm-agent", { body: toolset });
    const asked = { toolset: "crm-agent", end_user_id: "u1" };
    const { body } = await reader.api("POST", "/agent/sessions", { body: asked });
    return { env: { AGENT_TOKEN: body.data.token } };
  },
  "docs/api-keys.md": async (reader) => ({
    replace: {
      "<key id>": await newKeyId(reader, "old"),
      "<leaked key id>": await newKeyId(reader, "leaked"),
    },
  }),
  "docs/audit.md": async () => ({ env: { SVC_DATA_DIR: server.dataDir } }),
  "docs/backup.md": readBackup,
  "docs/cli.md": async (reader, stack) => {
    await connectCrm(reader, stack);
    return {};
  },
  "docs/connect.md": async (reader, stack) => {
    await addIntegrations(reader, "github");
    const openai = await connect(reader, stack, "openai", { connection: "acme" });
    const { body } = await reader.api("POST", "/connect/sessions", { body: {} });
    return {
      replace: { "sk-…": openai.samples.credentials["apiKey"] ?? "" },
      env: { TOKEN: body.data.token },
    };
  },
  "docs/connections.md": nothing,
  "docs/revocations.md": async (reader, stack) => {
    await connectCrm(reader, stack);
    return {};
  },
  "docs/fair-shares.md": nothing,
  "docs/migrate-from-nango.md": async ({ api, folder }, stack) => {
    const hubspot = stack.use(await startVendor("hubspot"));
    const { settings } = describeIntegration(hubspot);
    const integration = { provider: "hubspot", unique_key: "hubspot" };
    await api("POST", "/integrations", { body: { ...integration, settings } });
    const connection = { provider: "hubspot", provider_config_key: "hubspot", connection_id: "c1" };
    const nango = stack.use(
      await startFakeNango({
        integrations: [
          integration,
          {
            ...{ provider: "slack", unique_key: "slack" },
            credentials: { type: "OAUTH2", client_id: "id", client_secret: "secret" },
          },
        ],
        connections: [
          { ...connection, ...hubspot.newConnection() },
          {
            ...{ provider: "slack", provider_config_key: "slack", connection_id: "user-42" },
            credentials: { type: "OAUTH2", access_token: "access", refresh_token: "refresh" },
          },
        ],
      }),
    );
    await mkdir(join(folder, "nango-integrations"));
    await writeFile(join(folder, "nango-integrations", "index.ts"), 'import "nango";\n');
    return {
      replace: {
        "export NANGO_SECRET_KEY=…": `export NANGO_SECRET_KEY=${nango.key}`,
        "migrate nango": `migrate nango --host ${nango.url}`,
      },
    };
  },
  "docs/logs.md": nothing,
  "docs/observability.md": nothing,
  "docs/people.md": nothing,
  "docs/privacy.md": async (reader, stack) => {
    await connect(reader, stack, "hubspot", { connection: "customer-1" });
    return {};
  },
  "docs/proxy.md": async (reader, stack) => {
    await connect(reader, stack, "openai", { connection: "acme" });
    await connect(reader, stack, "github", { connection: "user-42" });
    return {};
  },
  "docs/records.md": nothing,
  "docs/syncs.md": nothing,
  "docs/upgrading.md": async () => ({ env: { SVC_DATA_DIR: server.dataDir } }),
  "docs/vault.md": async () => ({ env: { SVC_DATA_DIR: server.dataDir } }),
  "docs/webhooks.md": async (reader, stack) => {
    const body = { provider: "unauthenticated", unique_key: "my-files" };
    await reader.api("POST", "/integrations", { body });
    const { body: signing } = await reader.api("GET", "/environment/webhooks");
    const receiver = stack.use(await startWebhookReceiver(signing.data.signing_key));
    return { replace: { "http://127.0.0.1:8080": receiver.url } };
  },
  ...Object.fromEntries(
    ["github", "google", "hubspot", "microsoft", "salesforce", "slack"].map((id) => [
      `docs/first-integration/${id}.md`,
      firstIntegration(id),
    ]),
  ),
};

test.for(Object.entries(pages))(
  "%s: each command runs as written, in order, and answers what the page shows",
  { timeout: 240 * SECOND },
  async ([page, given], t) => {
    requireTool("curl", t);
    await using stack = new AsyncDisposableStack();
    const reader = stack.use(await startReader(server, page));
    const { replace = {}, env = {}, before } = await given(reader, stack);

    const outcomes = await runPage(page, {
      folder: reader.folder,
      env: { ...reader.env, ...env },
      replace: (text) =>
        Object.entries(replace).reduce((typed, [from, to]) => typed.replaceAll(from, to), text),
      ...(before === undefined ? {} : { before }),
    });

    expect(outcomes.length).toBeGreaterThan(0);
    expectShown(outcomes);
  },
);

test("each page with a command that runs is run", async () => {
  const root = resolve(import.meta.dirname, "../..");
  const docs = await readdir(join(root, "docs"), { recursive: true });
  const names = [
    "README.md",
    ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
  ];

  const missing: string[] = [];
  for (const name of names) {
    const isRun = ({ language, notRun }: Block) => language === "sh" && notRun === undefined;
    if ((await readBlocks(name)).some(isRun) && !Object.hasOwn(pages, name)) missing.push(name);
  }

  expect(missing).toEqual([]);
});

async function addIntegrations(reader: PageReader, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await reader.api("POST", "/integrations", { body: { provider: id, unique_key: id } });
  }
}

/** An integration that is named after its provider, played on this machine, and a connection of the end user `u1`. */
async function connect(
  reader: PageReader,
  stack: AsyncDisposableStack,
  id: string,
  { connection }: { connection: string },
): Promise<Vendor> {
  const vendor = stack.use(await startVendor(id));
  const body = { ...describeIntegration(vendor), unique_key: id };
  const made = await reader.api("POST", "/integrations", { body });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const imported = await reader.api("POST", "/connections", {
    body: {
      ...vendor.newConnection(),
      provider_config_key: id,
      connection_id: connection,
      tags: { end_user_id: "u1" },
    },
  });
  expect(imported.status, JSON.stringify(imported.body)).toBe(201);
  return vendor;
}

/** An action of HubSpot that answers what the expression says. */
function newFlow(syncName: string, expression: string): object {
  const any =
    "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
  const js = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => (${expression}) };`;
  const flow = { type: "action", syncName, providerConfigKey: "hubspot", models: [], runs: null };
  const models_json_schema = { definitions: { In: { type: "object" } } };
  return { ...flow, input: "In", models_json_schema, fileBody: { js, ts: "" } };
}

/** The integration and the connection that the functions of `jackfield init` are for. */
async function connectCrm(reader: PageReader, stack: AsyncDisposableStack): Promise<void> {
  const crm = stack.use(await startFakeCrm());
  await reader.api("POST", "/integrations", {
    body: {
      provider: "private-api-bearer",
      unique_key: "crm",
      integration_config: { base_url: crm.url },
    },
  });
  const made = await reader.api("POST", "/connections", {
    body: { provider_config_key: "crm", connection_id: "acme", credentials: { apiKey: crm.token } },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
}

async function newKeyId(reader: PageReader, display_name: string): Promise<string> {
  const body = { display_name, scopes: ["environment:proxy"] };
  const { body: answer } = await reader.api("POST", "/environment/api-keys", { body });
  return answer.data.id;
}

async function waitForRecords(
  { api }: PageReader,
  model: string,
  [integration, connection]: readonly [string, string],
): Promise<void> {
  const headers = { "provider-config-key": integration, "connection-id": connection };
  await vi.waitFor(
    async () => {
      const { body } = await api("GET", `/records?model=${model}`, { headers });
      expect(body.records).not.toEqual([]);
    },
    { timeout: 60 * SECOND, interval: 200 },
  );
}

/** The backup is restored into two databases; one of them moves to a server of its own and back. */
async function readBackup(reader: PageReader, stack: AsyncDisposableStack): Promise<Readings> {
  const restored = stack.use(await createEmptyDatabase());
  const moved = stack.use(await createEmptyDatabase());
  let target = restored;
  const replace = {
    "jackfield-2026-11-22.backup": "jackfield-$(date +%F).backup",
    "postgres://…/copy": restored.connectionString,
    get "postgres://…"() {
      return target.connectionString;
    },
  };
  return {
    replace,
    env: { SVC_DATA_DIR: server.dataDir },
    async before({ text }) {
      if (text.includes("move --to server")) target = moved;
      const embedded = join(reader.folder, "copy", "postgres");
      if (text.includes("move --to embedded")) await rm(embedded, { recursive: true });
    },
  };
}

/** The user signs in at the provider between the session and the list of connections. */
function firstIntegration(id: string): Given {
  return async ({ api }, stack) => {
    const vendor = stack.use(await startVendor(id));
    const replace = { "<connection_id>": "" };
    return {
      replace,
      async before({ text }) {
        if (!text.includes("/connections?tags") || replace["<connection_id>"] !== "") return;
        const { settings } = describeIntegration(vendor);
        await api("PATCH", `/integrations/${id}`, { body: { settings } });
        const tags = { end_user_id: "user-1" };
        const body = { ...vendor.newConnection(), provider_config_key: id, tags };
        const created = await api("POST", "/connections", { body });
        replace["<connection_id>"] = created.body.connection_id;
      },
    };
  };
}
