import { execFile } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { demoAccount, startSimulatedProvider } from "@jackfield/simulator";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { requireTool } from "../require-tool.ts";
import { type Api, apiOf } from "./api.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

const isRoot = process.getuid?.() === 0;

test("from an empty database to synced records: OAuth in a browser, functions, webhooks", async (t) => {
  const browserPath = requireTool("chromium", t);
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const env = { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key };
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { ...env, SVC_ROLES: "api" },
  });
  const worker = await startPlatformProcess({
    dataDir: folder.path,
    env: { ...env, SVC_ROLES: "worker" },
  });
  const api = apiOf(platform.url, key);
  await using provider = await startSimulatedProvider({
    redirectUris: [`${platform.url}/oauth/callback`],
    contacts: 450,
    accessTokenLifetimeSeconds: 600,
    consent: "interactive",
  });

  const settings = await api("GET", "/environment/webhooks");
  await using receiver = await startWebhookReceiver(settings.body.data.signing_keys[0].key);
  await api("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });

  const integration = await api("POST", "/integrations", {
    body: {
      provider: "oauth2-generic",
      unique_key: "harbor",
      credentials: {
        type: "OAUTH2",
        client_id: provider.oauth.clientId,
        client_secret: provider.oauth.clientSecret,
        scopes: "openid,offline_access,contacts.read,contacts.write",
      },
      integration_config: {
        authorization_url: provider.oauth.authorizationUrl,
        token_url: provider.oauth.tokenUrl,
        base_url: provider.origin,
      },
    },
  });
  expect(integration.status).toBe(200);
  expect(JSON.stringify(integration.body)).not.toContain(provider.oauth.clientSecret);

  const session = await api("POST", "/connect/sessions", { body: { tags: { End_User_Id: "u1" } } });
  const token = session.body.data.token;
  const asSession = apiOf(platform.url, token);
  await authorizeInBrowser(
    browserPath,
    `${platform.url}/oauth/connect/harbor?connect_session_token=${token}`,
  );
  const result = await asSession("GET", "/connect/session/result");
  expect(result.body.data.state).toBe("success");
  const connectionId: string = result.body.data.connection_id;
  const created = await receiver.nth("auth", 0);
  expect(created).toMatchObject({
    from: "svc",
    operation: "creation",
    success: true,
    connectionId,
    providerConfigKey: "harbor",
    authMode: "OAUTH2",
    tags: { end_user_id: "u1" },
  });

  await tokensAreFreshAndSealed({ api, connectionId, database, provider });
  await proxyPassesBothWays({ url: platform.url, key, connectionId });
  await functionsRunInTheWorker({
    api,
    connectionId,
    provider,
    receiver,
    url: platform.url,
    key,
    folder: folder.path,
  });

  expect(receiver.refused).toBe(0);
  expect(await Promise.all([platform.stop(), worker.stop()])).toEqual([0, 0]);

  const operations = await database.pool.query(
    "select type || ':' || action as kind, state, ended_at >= started_at as timed from operations",
  );
  const kinds = new Set(operations.rows.map(({ kind }: { kind: string }) => kind));
  for (const kind of [
    "auth:create_connection",
    "sync:run",
    "action:run",
    "proxy:call",
    "deploy:custom",
  ]) {
    expect(kinds).toContain(kind);
  }
}, 120_000);

async function authorizeInBrowser(executablePath: string, url: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath,
    args: isRoot ? ["--no-sandbox"] : [],
    chromiumSandbox: !isRoot,
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByLabel("Email").fill(demoAccount.email);
    await page.getByLabel("Password").fill(demoAccount.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(/\/oauth\/callback/);
    expect(await page.title()).toBe("Connected");
  } finally {
    await browser.close();
  }
}

interface TokenCheck {
  readonly api: Api;
  readonly connectionId: string;
  readonly database: { pool: { query(text: string): Promise<{ rows: unknown[] }> } };
  readonly provider: { readonly journal: { readonly refreshGrants: number } };
}

async function tokensAreFreshAndSealed({ api, connectionId, database, provider }: TokenCheck) {
  const path = `/connections/${connectionId}?provider_config_key=harbor`;
  const before = await api("GET", path);
  const calls = Array.from(
    { length: 20 },
    async () => await api("GET", `${path}&force_refresh=true`),
  );
  const forced = await Promise.all(calls);
  const after = await api("GET", path);

  const secret: string = after.body.credentials.access_token;
  expect(before.body.credentials.access_token).not.toBe(secret);
  expect(new Set(forced.map(({ status }) => status))).toEqual(new Set([200]));
  expect(after.body.credentials.refresh_token).toBeUndefined();
  expect(provider.journal.refreshGrants).toBeLessThan(20);
  const { rows } = await database.pool.query("select c::text from connections c");
  const stored = JSON.stringify(rows);
  expect(stored).not.toContain(secret);
  expect(stored).not.toContain(Buffer.from(secret).toString("hex"));
}

async function proxyPassesBothWays({
  url,
  key,
  connectionId,
}: {
  url: string;
  key: string;
  connectionId: string;
}) {
  const headers = {
    authorization: `Bearer ${key}`,
    "provider-config-key": "harbor",
    "connection-id": connectionId,
  };
  const upload = randomBytes(3 * 1024 * 1024);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const response = await fetch(`${url}/proxy/api/echo?a=1&b=%2F`, {
      method,
      headers: { ...headers, "content-type": "application/octet-stream", "x-extra": "kept" },
      body: upload,
    });
    const echo = Object(await response.json());
    expect(response.status).toBe(200);
    expect(echo.method).toBe(method);
    expect(JSON.stringify(echo)).toContain("kept");
    expect(JSON.stringify(echo)).not.toContain(key);
    expect(echo.body.sha256).toBe(createHash("sha256").update(upload).digest("hex"));
  }
  const missing = await fetch(`${url}/proxy/api/status/418`, { headers });
  expect(missing.status).toBe(418);
  const stream = await fetch(`${url}/proxy/api/stream?chunks=3&delay_ms=20`, { headers });
  expect((await stream.text()).length).toBeGreaterThan(0);
}

interface FunctionCheck {
  readonly api: Api;
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  readonly connectionId: string;
  readonly provider: {
    changeContacts(changes: { changed: number; added: number; removed: number }): unknown;
  };
  readonly receiver: { nth(type: string, n: number): Promise<Record<string, unknown>> };
}

const harborFunctions = new URL("functions/harbor/", import.meta.url);

async function functionsRunInTheWorker({
  api,
  url,
  key,
  folder,
  connectionId,
  provider,
  receiver,
}: FunctionCheck) {
  const project = join(folder, "functions");
  const run = async (args: string[], cwd: string) =>
    await promisify(execFile)(process.execPath, [...commandLineArgs(), ...args], {
      cwd,
      env: { SVC_HOSTPORT: url, SVC_SECRET_KEY_DEV: key },
    });
  await run(["init", project], folder);
  await mkdir(join(project, "harbor", "syncs"), { recursive: true });
  await mkdir(join(project, "harbor", "actions"), { recursive: true });
  for (const file of ["contact.ts", "syncs/contacts.ts", "actions/create-contact.ts"]) {
    await writeFile(join(project, "harbor", file), await readFile(new URL(file, harborFunctions)));
  }
  await writeFile(
    join(project, "index.ts"),
    'import "./harbor/syncs/contacts.ts";\nimport "./harbor/actions/create-contact.ts";\n',
  );
  const { stdout } = await run(["deploy", "dev", "--auto-confirm"], project);
  expect(stdout).toContain("harbor/contacts");

  const headers = { "provider-config-key": "harbor", "connection-id": connectionId };
  const first = await receiver.nth("sync", 0);
  expect(first).toMatchObject({
    success: true,
    model: "Contact",
    syncName: "contacts",
    responseResults: { added: 450, updated: 0, deleted: 0 },
  });
  const ids = await readIds(api, headers);
  expect(ids).toHaveLength(450);
  expect(new Set(ids).size).toBe(450);

  const target = {
    provider_config_key: "harbor",
    connection_id: connectionId,
    syncs: ["contacts"],
  };
  provider.changeContacts({ changed: 5, added: 2, removed: 0 });
  await api("POST", "/sync/trigger", { body: target });
  expect(await receiver.nth("sync", 1)).toMatchObject({
    responseResults: { added: 2, updated: 5, deleted: 0 },
  });
  await api("POST", "/sync/trigger", { body: { ...target, opts: { reset: true } } });
  expect(await receiver.nth("sync", 2)).toMatchObject({
    responseResults: { added: 0, updated: 0, deleted: 0 },
  });

  const status = await api("GET", "/sync/status?provider_config_key=harbor&syncs=contacts");
  expect(status.body.syncs[0]).toMatchObject({
    status: "SUCCESS",
    recordCount: { Contact: 452 },
    latestResult: { Contact: { added: 0, updated: 0, deleted: 0 } },
  });

  const input = { name: "Ada Quay", email: "ada@quay.example", company: "Quay" };
  const action = await api("POST", "/action/trigger", {
    headers,
    body: { action_name: "create-contact", input },
  });
  const refused = await api("POST", "/action/trigger", {
    headers,
    body: { action_name: "create-contact", input: { name: "" } },
  });
  expect([action.status, action.body.name]).toEqual([200, "Ada Quay"]);
  expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_action_input"]);
}

async function readIds(api: Api, headers: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await api("GET", `/records?model=Contact&limit=100${query}`, { headers });
    ids.push(...body.records.map((record: { id: string }) => record.id));
    cursor = body.next_cursor;
  }
  return ids;
}
