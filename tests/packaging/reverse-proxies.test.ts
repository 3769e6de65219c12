import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { type ProxyFile, startReverseProxy } from "./start-reverse-proxy.ts";

const cleanUp = new AsyncDisposableStack();
const key = randomUUID();
let platform: PlatformProcess;
let api: Api;

beforeAll(async () => {
  const database = cleanUp.use(await createServerDatabase());
  const folder = cleanUp.use(await makeDataFolder());
  platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  cleanUp.defer(async () => void (await platform.stop()));
  api = apiOf(platform.url, key);
  await api("POST", "/integrations", { body: { provider: "unauthenticated", unique_key: "open" } });
});
afterAll(async () => await cleanUp.disposeAsync());

interface Call {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

async function send({ body, ...call }: Call): Promise<IncomingMessage> {
  const options = { host: "127.0.0.1", rejectUnauthorized: false, servername: "localhost" };
  const sent = request({ ...options, ...call, agent: false }).end(body);
  const [answer] = await once(sent, "response");
  return answer;
}

async function readAll(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer) text += chunk;
  return text;
}

async function addSignedIntegration(): Promise<{ path: string; secret: string }> {
  const secret = randomUUID();
  const unique_key = `github-${randomUUID()}`;
  const credentials = { client_id: "client", client_secret: randomUUID(), webhook_secret: secret };
  const made = await api("POST", "/integrations", {
    body: { provider: "github", unique_key, credentials: { type: "OAUTH2", ...credentials } },
  });
  expect(made.body).not.toHaveProperty("error");
  const { body } = await api("GET", `/integrations/${unique_key}?include=webhook`);
  return { path: new URL(body.data.webhook_url).pathname, secret };
}

const files: readonly (readonly [file: ProxyFile, prefix: string])[] = [
  ["nginx.conf", ""],
  ["nginx-sub-path.conf", "/jackfield"],
  ["haproxy.cfg", ""],
  ["Caddyfile", ""],
];

test.for(files)("%s passes events on as they happen", async ([file, prefix], t) => {
  await using proxy = await startReverseProxy(t, file, platform.url);
  const created = await api("POST", "/connect/sessions", { body: {} });
  const { token } = created.body.data;
  const { port } = proxy;

  const headers = { authorization: `Bearer ${token}` };
  const stream = await send({ port, path: `${prefix}/connect/session/events`, headers });
  const events = stream.setEncoding("utf8")[Symbol.asyncIterator]();
  const first = await events.next();
  const form = await send({
    port,
    path: `${prefix}/auth/unauthenticated/open?connect_session_token=${token}`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const second = await events.next();
  const end = await events.next();

  expect(stream.statusCode).toBe(200);
  expect(first.value).toContain('"waiting"');
  expect(form.statusCode, await readAll(form)).toBe(200);
  expect(second.value).toContain('"success"');
  expect(end.done).toBe(true);
});

test.for(files)(
  "%s lets a signed webhook of 20 MB through, byte for byte",
  async ([file, prefix], t) => {
    await using proxy = await startReverseProxy(t, file, platform.url);
    const { path, secret } = await addSignedIntegration();
    const body = Buffer.from(JSON.stringify({ action: "opened", text: "x".repeat(20_000_000) }));
    const signature = createHmac("sha256", secret).update(body).digest("hex");

    const answer = await send({
      port: proxy.port,
      path: prefix + path,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": String(body.byteLength),
        "x-github-event": "issues",
        "x-github-delivery": randomUUID(),
        "x-hub-signature-256": `sha256=${signature}`,
      },
      body,
    });

    const text = await readAll(answer);
    expect([answer.statusCode, text]).toEqual([200, '{"status":"success"}']);
  },
);

test.for(files)(
  "%s lets heads of 15 KiB through, and the connect page",
  async ([file, prefix], t) => {
    await using proxy = await startReverseProxy(t, file, platform.url);
    const { port } = proxy;

    const large = await send({
      port,
      path: `${prefix}/health`,
      headers: { "svc-padding": "x".repeat(15 * 1024) },
    });
    const page = await send({ port, path: `${prefix}/connect/` });

    const html = await readAll(page);
    const [asset = ""] = /assets\/[\w.-]+\.js/.exec(html) ?? [];
    const script = await send({ port, path: `${prefix}/connect/${asset}` });
    expect([large.statusCode, page.statusCode, script.statusCode]).toEqual([200, 200, 200]);
    expect(script.headers["content-type"]).toContain("javascript");
  },
);
