import { readConfig } from "@jackfield/server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  createEmptyDatabase,
  dumpDatabase,
} from "../../packages/server/src/foundation/testing/index.ts";
import { verifyAudit } from "../../packages/server/src/operator/verify-audit.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

// An account leaves its name wherever it can; after its erasure a search of both databases finds nothing of it. The
// names of its integrations stay in the audit log, whose rows go by age.

const MAIL = "grace.lumen@beta.example";
const CANARY = "canary-of-beta";
const WORK = "crm-of-beta";
const OTHER = "canary-of-alpha";

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let logs: typeof database;
let folder: DataFolder;
let platform: PlatformProcess;
let env: Record<string, string> = {};

async function start(): Promise<void> {
  platform = await startPlatformProcess({ dataDir: folder.path, env });
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  logs = await createEmptyDatabase();
  folder = await makeDataFolder();
  env = {
    SVC_DATABASE_URL: database.connectionString,
    SVC_LOGS_DATABASE_URL: logs.connectionString,
    SVC_ACCOUNTS: "many",
    SVC_RECORD_STORAGE: "plain",
  };
  await start();
});
afterAll(async () => {
  await platform.stop();
  await folder[Symbol.asyncDispose]();
  await logs[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function ask(key: string, method: string, path: string, body?: object) {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function call(key: string, method: string, path: string, body?: object) {
  const answer = await ask(key, method, path, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

/** One of what an environment can have, with a name that is found again. */
async function fill(key: string, { name, work }: { name: string; work: string }): Promise<void> {
  await call(key, "PUT", "/environment-variables/NAME", { value: name });
  await call(key, "POST", "/integrations", { provider: "private-api-bearer", unique_key: work });
  await call(key, "POST", "/connections", {
    ...{ provider_config_key: work, connection_id: name, metadata: { name } },
    ...{ credentials: { type: "API_KEY", apiKey: name }, tags: { end_user_id: name } },
  });
  await call(key, "PATCH", "/environment/webhooks", { primary_url: `http://127.0.0.1:9/${name}` });
  await call(key, "GET", `/connections/${name}?provider_config_key=${work}`);
  await call(key, "POST", "/connect/links", { tags: { end_user_id: name } });
}

async function find(text: string): Promise<string[]> {
  const tables = [
    ...(await dumpDatabase(database.connectionString)),
    ...(await dumpDatabase(logs.connectionString)),
  ];
  return tables.filter(({ text: content }) => content.includes(text)).map(({ name }) => name);
}

test("an erased account is nowhere afterwards but as an id, and others keep theirs", {
  timeout: 180_000,
}, async () => {
  const installer = platform.keys.get("account") ?? "";
  const alpha = platform.keys.get("dev") ?? "";
  await fill(alpha, { name: OTHER, work: OTHER });
  const owner = { email: MAIL, name: CANARY };
  const { data: made } = await call(installer, "POST", "/accounts", { name: CANARY, owner });
  const { account, api_key: beta } = made;
  const { data: environments } = await call(beta, "GET", "/environments");
  for (const { id, is_production: isProduction } of environments) {
    const body = { display_name: CANARY, environment_id: id, scopes: ["environment:*"] };
    const { data: key } = await call(beta, "POST", "/environment/api-keys", body);
    const name = `${CANARY}-${isProduction ? "prod" : "dev"}`;
    await fill(key.secret, { name, work: WORK });
  }
  const grants = [{ role: "support", environments: "all" }];
  await call(beta, "POST", "/users", { email: `x.${MAIL}`, name: CANARY, grants });
  await call(installer, "PATCH", `/accounts/${account.id}`, { name: `${CANARY} again` });
  await vi.waitFor(async () => expect((await find(CANARY)).join()).toMatch(/\boperations_/), {
    timeout: 20_000,
    interval: 500,
  });
  const before = await find(CANARY);
  const workBefore = await find(WORK);
  const [firstAccount] = (await call(installer, "GET", "/accounts")).data;

  const first = await ask(installer, "DELETE", `/accounts/${firstAccount.id}`);
  const byOther = await ask(beta, "DELETE", `/accounts/${firstAccount.id}`);
  const begun = await ask(installer, "DELETE", `/accounts/${account.id}`);
  const shutOut = await ask(beta, "GET", "/environments");
  const again = await ask(installer, "DELETE", `/accounts/${account.id}`);
  await platform.kill();
  await start();
  const receipt = await vi.waitFor(
    async () => {
      const { data } = await call(installer, "GET", `/account-erasures/${begun.body.data.id}`);
      expect(data.state).toBe("done");
      return data;
    },
    { timeout: 150_000, interval: 1000 },
  );

  expect(before).toEqual(
    expect.arrayContaining(["accounts", "users", "api_keys", "connections", "connect_links"]),
  );
  expect(before).toContain("audit_details");
  expect(workBefore).toContain("integrations");
  expect([first.status, first.body.error.code]).toEqual([409, "conflict"]);
  expect(byOther.status).toBe(403);
  expect(begun.status).toBe(202);
  expect(shutOut.status).toBe(401);
  expect(again.body.data.id).toBe(begun.body.data.id);
  expect(receipt).toMatchObject({
    account_id: account.id,
    erased: { environments: 2, users: 2, api_keys: 5 },
  });
  expect(receipt.erased.log_operations).toBeGreaterThan(0);
  expect(receipt.erased.audit_names).toBeGreaterThan(0);
  expect(await find(CANARY)).toEqual([]);
  expect(await find(MAIL)).toEqual([]);
  expect(await find(WORK)).toEqual(["audit_events"]);
  expect(await find(OTHER)).toEqual(expect.arrayContaining(["connections", "integrations"]));
  expect((await call(installer, "GET", "/account-erasures")).data).toEqual([receipt]);
  expect((await call(installer, "GET", "/accounts")).data).toHaveLength(1);
  const { config } = readConfig({ ...env, SVC_DATA_DIR: folder.path });
  if (config === undefined) throw new Error("no config");
  expect((await verifyAudit(config, undefined)).faults).toEqual([]);
});
