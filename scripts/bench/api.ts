import { randomUUID } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { Pool } from "undici";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../tests/launcher/platform-process.ts";
import { type BenchRow, median } from "./meters/row.ts";

const CALLERS = 16;
const CONNECTIONS = 100_000;
/** Made through the API, so that their credentials open. */
const IMPORTED = 500;
const ROUND_MS = 1500;
const ROUNDS = 3;

interface Call {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: () => string;
  readonly body?: string;
  readonly status: number;
}

/** Requests per second of the API's own routes with 100,000 connections, against its barest route. */
export async function benchApi(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: join(folder.path, "platform"),
    env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: postgres.connectionString },
  });
  const pool = new Pool(platform.url, { connections: CALLERS });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  try {
    await importConnections(pool, headers);
    await fill(postgres.connectionString);
    const results = new Map<string, number[]>();
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const call of [bare, ...calls]) {
        const perSecond = await load(pool, headers, call);
        // The first round warms up.
        if (round > 0) results.set(call.name, [...(results.get(call.name) ?? []), perSecond]);
      }
    }
    const baseline = { name: "GET /health of the same server", value: rate(results, bare) };
    return calls.map((call) => ({
      name: call.name,
      value: rate(results, call),
      unit: "requests/s",
      baseline,
      note: `${CALLERS} callers`,
    }));
  } finally {
    await pool.close();
    await platform.stop();
  }
}

const bare: Call = { name: "health", method: "GET", path: () => "/health", status: 200 };

const calls: readonly Call[] = [
  {
    name: "get one connection with credentials",
    method: "GET",
    path: () => `/connections/real-${random(IMPORTED)}?provider_config_key=bench`,
    status: 200,
  },
  list("list 100, page 1", () => "page=0"),
  list("list 100, page 40", () => "page=39"),
  list("list by one tag", () => `tags[end_user_id]=u${random(CONNECTIONS)}`),
  list("list by a connection id", () => `connectionId=real-${random(IMPORTED)}`),
  list("search, one hit", () => `search=user${random(CONNECTIONS)}@`),
  {
    name: "create a connect session",
    method: "POST",
    path: () => "/connect/sessions",
    body: JSON.stringify({ tags: { end_user_id: "u1" }, allowed_integrations: ["bench"] }),
    status: 200,
  },
];

function list(name: string, query: () => string): Call {
  return { name, method: "GET", path: () => `/connections?limit=100&${query()}`, status: 200 };
}

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

function rate(results: ReadonlyMap<string, number[]>, { name }: Call): number {
  return median(results.get(name) ?? []);
}

type Headers = Readonly<Record<string, string>>;

async function load(pool: Pool, headers: Headers, call: Call): Promise<number> {
  const startedAt = performance.now();
  let answered = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < startedAt + ROUND_MS) {
      await request(pool, headers, call);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (1000 * answered) / (performance.now() - startedAt);
}

async function request(pool: Pool, headers: Headers, call: Call): Promise<void> {
  const { method, body = null, status } = call;
  const path = call.path();
  const answer = await pool.request({ method, path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== status) throw new Error(`${method} ${path}: ${text}`);
}

async function importConnections(pool: Pool, headers: Headers): Promise<void> {
  const post = async (path: string, status: number, body: object): Promise<void> =>
    await request(pool, headers, {
      name: path,
      method: "POST",
      path: () => path,
      body: JSON.stringify(body),
      status,
    });
  await post("/integrations", 200, {
    provider: "github",
    unique_key: "bench",
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "secret" },
  });
  for (let from = 0; from < IMPORTED; from += CALLERS) {
    const batch = Array.from({ length: Math.min(CALLERS, IMPORTED - from) }, (_, n) => from + n);
    await Promise.all(
      batch.map(async (n) => {
        await post("/connections", 201, {
          provider_config_key: "bench",
          connection_id: `real-${n}`,
          tags: { end_user_id: `real${n}` },
          credentials: {
            type: "OAUTH2",
            access_token: "a".repeat(64),
            refresh_token: "r".repeat(64),
            expires_at: "2099-01-01T00:00:00Z",
          },
        });
      }),
    );
  }
}

/** The rest of the connections; their credentials would not open, so nothing reads them. */
async function fill(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    `insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, metadata,
       tags, credentials, created_at, updated_at)
     select gen_random_uuid(), i.environment_id, i.id, gen_random_uuid()::text, 'OAUTH2', '{"plan": "free"}',
       jsonb_build_object('end_user_id', 'u' || n, 'end_user_email', 'user' || n || '@example.com',
         'end_user_display_name', 'Person ' || n, 'organization_id', 'o' || n / 50),
       decode(repeat(md5(n::text), 12), 'hex'), now() - n * interval '1 second', now()
       from integrations i, generate_series(1, $1) n where i.unique_key = 'bench'`,
    [CONNECTIONS - IMPORTED],
  );
  await client.query("vacuum analyze connections");
  await client.end();
}
