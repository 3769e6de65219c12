import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TestPlatform } from "../../packages/cli/src/test.ts";
import { apiOf } from "../journeys/api.ts";
import { startOnClone } from "../launcher/start-on-clone.ts";
import { requireTool } from "../require-tool.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = fileURLToPath(new URL("../../clients/python/", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
// No files of compiled Python in the checkout.
const env = { PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" };

let platform: TestPlatform;
let provider: { url: string; webhooks: { headers: IncomingMessage["headers"]; body: string }[] };
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  platform = cleanUp.use(await startOnClone());
  provider = await startProvider();
});
afterAll(async () => await cleanUp.disposeAsync());

/** Echoes calls, and keeps the webhooks of the platform. */
async function startProvider() {
  const webhooks: { headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/webhooks") webhooks.push({ headers: request.headers, body });
    if (pathname === "/bytes") {
      response.setHeader("content-type", "application/octet-stream");
      response.end(Buffer.from([0, 255, 1]));
      return;
    }
    const { authorization, "x-own": own } = request.headers;
    response.statusCode = pathname === "/refuse" ? 422 : 200;
    response.setHeader("content-type", "application/json");
    const isAuthorized = authorization === "Bearer python-canary-key";
    response.end(JSON.stringify({ query: search, body, own, isAuthorized }));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}`, webhooks };
}

test("the Python client's own tests hold, and its two forms are in step", async (context) => {
  const python = requireTool("python3", context);

  await promisify(execFile)(python, ["tests/test_client.py"], { cwd: folder, env });
  await promisify(execFile)(python, ["tools/make_async.py", "--check"], { cwd: folder, env });
});

test("each method of the Python client calls a route of the API", async (context) => {
  const python = requireTool("python3", context);
  const openapi = await readFile(`${root}packages/contract/openapi.json`, "utf8");
  const paths: Record<string, object> = JSON.parse(openapi).paths;
  const known = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
    })),
  );

  const script = ["tests/test_client.py"];
  const { stdout } = await promisify(execFile)(python, script, {
    cwd: folder,
    env: { ...env, LIST_CALLS: "1" },
  });

  const calls: [string, string][] = JSON.parse(stdout);
  const strangers = calls.filter(([method, url]) => {
    const [path = ""] = url.split("?");
    return !known.some((route) => route.method === method && route.pattern.test(path));
  });
  expect(calls.length).toBeGreaterThan(40);
  expect(strangers).toEqual([]);
});

test("the Python client walks a running platform, and verifies its webhooks", async (context) => {
  const python = requireTool("python3", context);
  const api = apiOf(platform.url, platform.keys.dev);
  const body = { primary_url: `${provider.url}/webhooks` };
  await api("PATCH", "/environment/webhooks", { body });
  const settings = await api("GET", "/environment/webhooks");
  const signingKey: string = settings.body.data.signing_keys[0].key;
  const args = ["tests/against_platform.py", platform.url, platform.keys.dev, signingKey];

  const { stdout } = await promisify(execFile)(python, [...args, provider.url], {
    cwd: folder,
    env,
  });

  expect(JSON.parse(stdout)).toEqual({
    imported: {},
    token: true,
    metadata: { plan: "team" },
    link: true,
    listed: ["acme"],
    called: { query: "?q=a+b&n=1", body: "", own: "1", isAuthorized: true },
    posted: { query: "?x=1&y=2", body: '{"name": "Zo\\u00eb"}', isAuthorized: true },
    raw: [0, 255, 1],
    refused: ["provider_error", 422, expect.stringContaining("GET /refuse with 422")],
    unknown: ["not_found", 404, expect.any(String)],
    model: ["invalid_query_params", 400, expect.stringContaining("names a model")],
    action: [expect.any(String), expect.any(Number), expect.stringContaining("none")],
    sync: [expect.any(String), expect.any(Number), expect.stringContaining("none")],
    late: ["timeout", null, expect.any(String)],
    variables: [{ name: "PY_NAME", value: "value" }],
    providers: ["private-api-bearer"],
    functions: 0,
    deleted: { success: true },
    async: {
      numbers: ["?n=0", "?n=1", "?n=2", "?n=3", "?n=4"],
      code: "invalid_query_params",
    },
  });
  const [webhook] = await vi.waitUntil(
    () => (provider.webhooks.length > 0 ? provider.webhooks : undefined),
    { timeout: 30_000 },
  );
  const child = spawn(python, [...args, provider.url, "--verify"], { cwd: folder, env });
  child.stdin.end(JSON.stringify(webhook));
  const verified = await text(child.stdout);
  expect(JSON.parse(verified)).toEqual({
    type: "auth",
    connection: "acme",
    forged: "webhook_signature_mismatch",
  });
});
