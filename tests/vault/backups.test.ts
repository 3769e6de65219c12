import { randomBytes } from "node:crypto";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { slices } from "../../packages/server/src/app.ts";
import { readConfig } from "../../packages/server/src/config.ts";
import {
  copyDatabase,
  createTestDatabase,
  dumpDatabase,
  testKeys,
} from "../../packages/server/src/foundation/testing/index.ts";
import { openVault } from "../../packages/server/src/operator/open-vault.ts";
import { allOf } from "../../packages/server/src/slice/index.ts";
import { verifySealed } from "../../packages/server/src/vault/index.ts";
import { formsOf } from "../canary/forms-of.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import {
  type PlatformProcess,
  StartFailure,
  startPlatformProcess,
} from "../launcher/platform-process.ts";

// Somebody takes a backup: the whole database and the data folder, without the key, which is kept elsewhere.

const newSecret = (name: string) => `cnry-${name}-${randomBytes(15).toString("hex")}`;
const newKey = () => randomBytes(32).toString("base64");
const [right, other] = [newKey(), newKey()];

const secrets = {
  "the encryption key": right,
  "the bootstrap key": crypto.randomUUID(),
  "a client secret": newSecret("client"),
  "an API key of a connection": newSecret("apikey"),
  "a password of a connection": newSecret("password"),
  "an access token": newSecret("access"),
  "a refresh token": newSecret("refresh"),
  "a secret value of a variable": newSecret("variable"),
  "a header of a proxied call": newSecret("header"),
  "a query of a proxied call": newSecret("query"),
  "a body of a proxied call": newSecret("body"),
};
type Name = keyof typeof secrets;
const key = secrets["the bootstrap key"];
const made = new Map<string, string>();

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let folder: Awaited<ReturnType<typeof makeDataFolder>>;
let copies: { readonly surface: string; readonly bytes: Buffer }[];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeDataFolder();
  const platform = await startPlatformProcess({ dataDir: folder.path, env: settings(right) });
  await fillWithSecrets(platform);
  await platform.stop();
  copies = [...(await copyTables()), ...(await copyFolder())];
}, 90_000);
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

function settings(encryptionKey: string | undefined, url = database.connectionString) {
  return {
    SVC_DATABASE_URL: url,
    SVC_LOG_LEVEL: "debug",
    SVC_BOOTSTRAP_KEY: key,
    ...(encryptionKey === undefined ? {} : { SVC_ENCRYPTION_KEY: encryptionKey }),
  };
}

async function fillWithSecrets({ url }: PlatformProcess): Promise<void> {
  const send = async (method: string, path: string, body?: object, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text };
  };
  const done = async (...call: Parameters<typeof send>) => {
    const { status, text } = await send(...call);
    expect(status, `${call[0]} ${call[1]}: ${text}`).toBeLessThan(300);
    return text;
  };
  const credentials = {
    type: "OAUTH2",
    client_id: "client",
    client_secret: secrets["a client secret"],
  };
  await done("POST", "/integrations", { unique_key: "github", provider: "github", credentials });
  await done("POST", "/integrations", { unique_key: "keyed", provider: "private-api-bearer" });
  await done("POST", "/integrations", { unique_key: "basic", provider: "private-api-basic" });
  const connect = async (provider_config_key: string, credentials: object) =>
    await done("POST", "/connections", { provider_config_key, connection_id: "acme", credentials });
  await connect("github", {
    type: "OAUTH2",
    access_token: secrets["an access token"],
    refresh_token: secrets["a refresh token"],
  });
  await connect("keyed", { type: "API_KEY", apiKey: secrets["an API key of a connection"] });
  const password = secrets["a password of a connection"];
  await connect("basic", { type: "BASIC", username: "ada", password });
  await done("PUT", "/environment-variables/TOKEN", {
    value: secrets["a secret value of a variable"],
  });
  await done("PATCH", "/environment/webhooks", {
    primary_url: "http://127.0.0.1:9/in",
  });
  const created = JSON.parse(await done("POST", "/environment/api-keys", { display_name: "more" }));
  made.set("a further API key", JSON.stringify(created).match(/svc_key_[\w-]{49}/)?.[0] ?? "");
  const webhooks = await done("GET", "/environment/webhooks");
  made.set("a signing key", webhooks.match(/whsec_[A-Za-z0-9+/=]{44}/)?.[0] ?? "");
  const session = await done("POST", "/connect/sessions", { tags: { end_user_id: "u" } });
  made.set(
    "a token of a connect session",
    session.match(/svc_connect_session_[0-9a-f]{64}/)?.[0] ?? "",
  );
  await send(
    "POST",
    `/proxy/contacts?token=${secrets["a query of a proxied call"]}`,
    { secret: secrets["a body of a proxied call"] },
    {
      "connection-id": "acme",
      "provider-config-key": "keyed",
      "base-url-override": "http://127.0.0.1:9",
      "svc-proxy-x-token": secrets["a header of a proxied call"],
    },
  );
}

async function copyTables() {
  return (await dumpDatabase(database.connectionString)).map(({ name, text }) => ({
    surface: `table ${name}`,
    // Bytes stand in hex, in which a search for plain text would find nothing.
    bytes: Buffer.concat([
      Buffer.from(text),
      ...[...text.matchAll(/\\\\x([0-9a-f]{2,})/g)].map(([, hex = ""]) => Buffer.from(hex, "hex")),
    ]),
  }));
}

async function copyFolder() {
  const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
  return await Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name !== "encryption.key")
      .map(async ({ parentPath, name }) => ({
        surface: `file ${name}`,
        bytes: await readFile(join(parentPath, name)),
      })),
  );
}

function placesOf(secret: string): string[] {
  return copies.flatMap(({ surface, bytes }) =>
    [...formsOf(secret)].flatMap(([form, text]) =>
      bytes.includes(text) ? [`${surface}, ${form}`] : [],
    ),
  );
}

test("the copy has what the secrets belong to", () => {
  const tables = copies.filter(({ bytes }) => bytes.length > 0).map(({ surface }) => surface);

  expect(tables).toEqual(
    expect.arrayContaining(
      ["connections", "integrations", "api_keys", "data_keys"].map((name) => `table ${name}`),
    ),
  );
  expect(placesOf("acme").length).toBeGreaterThan(0);
});

test.for(Object.keys(secrets))("the copy shows %s in no form", (name) => {
  expect(placesOf(secrets[asName(name)])).toEqual([]);
});

test.for(["a further API key", "a signing key", "a token of a connect session"])(
  "the copy shows %s, which the server made, in no form but the keyed hash that finds it",
  (name) => {
    const secret = made.get(name) ?? "";

    expect(secret.length).toBeGreaterThan(40);
    expect(placesOf(secret)).toEqual([]);
  },
);

/** Keys of `secrets`. */
function asName(name: string): Name {
  return name as Name;
}

async function takeFingerprint(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker') order by 1",
  );
  const prints: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ print: string }>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as print from ${name} t`,
    );
    prints.push(`${name} ${rows[0]?.print}`);
  }
  await client.end();
  return prints;
}

test.for([
  ["no key", undefined, /its key is neither in/],
  ["another key", other, /does not open this database/],
  ["the right key, cut", right.slice(0, 40), /is not 32 bytes in base64/],
  [
    "the right key in hex",
    Buffer.from(right, "base64").toString("hex"),
    /is not 32 bytes in base64/,
  ],
  ["a key of zeros", Buffer.alloc(32).toString("base64"), /does not open this database/],
  ["the right key, one bit changed", flipped(right), /does not open this database/],
] as const)(
  "a restored copy with %s does not start, and nothing is written",
  async ([, given, line]) => {
    await using copy = await copyDatabase(database.connectionString);
    await using restored = await makeDataFolder();
    await cp(folder.path, restored.path, {
      recursive: true,
      filter: (path) => !path.endsWith("encryption.key"),
    });
    const files = await readdir(restored.path, { recursive: true });
    const before = await takeFingerprint(copy.connectionString);

    const start = startPlatformProcess({
      dataDir: restored.path,
      env: settings(given, copy.connectionString),
    });
    const failure = await start.catch((error: unknown) => error);

    if (!(failure instanceof StartFailure)) throw new Error("the copy started");
    expect(failure.output).toMatch(line);
    expect(await takeFingerprint(copy.connectionString)).toEqual(before);
    expect(await readdir(restored.path, { recursive: true })).toEqual(files);
  },
);

function flipped(text: string): string {
  const bytes = Buffer.from(text, "base64");
  bytes.writeUInt8(bytes.readUInt8(31) ^ 1, 31);
  return bytes.toString("base64");
}

test.for(allOf(slices, "sealedColumns").map(({ table, column }) => `${table}.${column}`))(
  "of a copy that another key claims, %s does not open",
  async (name) => {
    const { config } = readConfig({ ...settings(right), SVC_DATA_DIR: folder.path });
    if (config === undefined) throw new Error("the settings are refused");
    await using vault = await openVault(config);
    const columns = allOf(slices, "sealedColumns").filter(
      ({ table, column }) => `${table}.${column}` === name,
    );
    const stolen = { ...vault, keys: { ring: testKeys().ring, dataKeys: new Map() } };

    const [opened] = await verifySealed(vault, columns);
    const [refused] = await verifySealed(stolen, columns).catch(() => [{ ok: 0 }]);

    expect(opened?.failed).toBe(0);
    expect(refused?.ok).toBe(0);
  },
);
