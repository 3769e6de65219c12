import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

interface Cluster extends AsyncDisposable {
  readonly platforms: readonly PlatformProcess[];
  readonly key: string;
}

/** Platforms over one database, each in a process of its own. */
async function startCluster(count: number, settings: Record<string, string>): Promise<Cluster> {
  const database = await createServerDatabase();
  const folder = await makeDataFolder();
  const key = randomUUID();
  const env = {
    ...settings,
    SVC_DATABASE_URL: database.connectionString,
    SVC_BOOTSTRAP_KEY: key,
    SVC_ROLES: "api",
  };
  const platforms: PlatformProcess[] = [];
  // One after the other: the first makes the environments.
  for (let n = 0; n < count; n += 1) {
    platforms.push(await startPlatformProcess({ dataDir: folder.path, env }));
  }
  return {
    platforms,
    key,
    async [Symbol.asyncDispose]() {
      await Promise.all(platforms.map(async (platform) => await platform.stop()));
      await folder[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

test("three processes let exactly the limit through in each window", async () => {
  const limit = 100;
  await using cluster = await startCluster(3, { SVC_RATE_LIMIT_PER_MIN: String(limit) });
  const authorization = `Bearer ${cluster.key}`;
  const windows = new Map<string, { passed: number; refused: number }>();

  const callAll = cluster.platforms.flatMap(({ url }) =>
    Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 1000 / 24; n += 1) {
        const response = await fetch(`${url}/environment-variables`, {
          headers: { authorization },
        });
        await response.body?.cancel();
        const window = response.headers.get("x-ratelimit-reset") ?? "";
        const seen = windows.get(window) ?? { passed: 0, refused: 0 };
        if (response.status === 200) seen.passed += 1;
        if (response.status === 429) {
          seen.refused += 1;
          expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        }
        windows.set(window, seen);
      }
    }),
  );
  await Promise.all(callAll);

  const counts = [...windows.values()];
  const total = counts.reduce((sum, { passed, refused }) => sum + passed + refused, 0);
  expect(total).toBe(1008);
  expect(windows.has("")).toBe(false);
  expect(counts.some(({ refused }) => refused > 0)).toBe(true);
  for (const { passed, refused } of counts) {
    expect(passed).toBe(Math.min(limit, passed + refused));
  }
}, 60_000);

test("the operator's word is spoken, and a request with an Idempotency-Key has one effect", async () => {
  await using cluster = await startCluster(2, { SVC_COMPAT_PREFIX: "acme" });
  await answersOnce(cluster);
  await speaks(cluster);
}, 60_000);

async function answersOnce(cluster: Cluster): Promise<void> {
  const create = async (url: string, name: string) => {
    const response = await fetch(`${url}/connect/sessions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${cluster.key}`,
        "content-type": "application/json",
        "idempotency-key": "session-1",
      },
      body: JSON.stringify({ tags: { end_user_id: name } }),
    });
    return { status: response.status, text: await response.text() };
  };
  const urls = cluster.platforms.map(({ url }) => url);

  const crowd = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => await create(urls[n % 2] ?? "", "u")),
  );
  const later = await Promise.all(urls.map(async (url) => await create(url, "u")));
  const other = await create(urls[1] ?? "", "someone else");

  const answers = [...crowd, ...later].filter(({ status }) => status === 200);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(crowd.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect(later.map(({ status }) => status)).toEqual([200, 200]);
  expect(other.status).toBe(422);
}

async function speaks(cluster: Cluster): Promise<void> {
  const url = cluster.platforms[0]?.url ?? "";
  const headers = {
    authorization: `Bearer ${cluster.key}`,
    "content-type": "application/json",
    origin: "https://app.example",
  };

  const created = await fetch(`${url}/connect/sessions`, { method: "POST", headers, body: "{}" });
  const { data } = Object(await created.json());
  const asSession = { authorization: `Bearer ${data.token}` };
  const asOwn = { authorization: `Bearer ${data.token.replace("acme_", "svc_")}` };
  const results = await Promise.all(
    [asSession, asOwn].map(
      async (session) => await fetch(`${url}/connect/session/result`, { headers: session }),
    ),
  );
  const unknown = await fetch(`${url}/conections`, { headers });
  const refused = await fetch(`${url}/proxy/x`);
  const page = await fetch(`${url}/docs/api`);

  expect(data.token).toMatch(/^acme_connect_session_[0-9a-f]{64}$/);
  expect(data.connect_link).toContain(data.token);
  expect(created.headers.get("access-control-expose-headers")).toContain("X-Acme-Signature");
  expect(results.map(({ status }) => status)).toEqual([200, 200]);
  expect(await unknown.json()).toEqual({
    error: {
      code: "not_found",
      message: "There is no GET /conections. The nearest is GET /connections.",
      payload: {},
    },
  });
  expect([refused.status, refused.headers.get("svc-error-source")]).toEqual([401, "platform"]);
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(await page.text()).toContain("/connections/{connectionId}");
}
