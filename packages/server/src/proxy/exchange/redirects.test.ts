import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createIntegration } from "#integrations";
import { ensureLogPartitions } from "#logs";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
} from "../testing/proxy-under-test.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
let proxy: ProxyServer;
let first: Server;
let second: Server;
let answer: RequestListener;
let seen: { readonly at: string; readonly request: IncomingMessage }[] = [];

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

async function startServer(name: string): Promise<Server> {
  const server = createServer((request, response) => {
    seen.push({ at: `${name} ${request.headers.host?.split(":")[0]} ${request.method}`, request });
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
  first = await startServer("first");
  second = await startServer("second");
  proxy = await startProxy(ctx);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  for (const server of [first, second]) {
    server.closeAllConnections();
    server.close();
  }
  await installation[Symbol.asyncDispose]();
});
beforeEach(() => {
  seen = [];
});

const places = {
  "the same origin": () => `http://127.0.0.1:${portOf(first)}/next`,
  "another port": () => `http://127.0.0.1:${portOf(second)}/next`,
  "another host": () => `http://localhost:${portOf(first)}/next`,
  "another host and port": () => `http://localhost:${portOf(second)}/next`,
};
const injections = ["header", "query"] as const;

/** A connection whose key is in a header of its own or in the query. */
async function connect(placement: (typeof injections)[number]): Promise<Prepared> {
  const baseUrl = `http://127.0.0.1:${portOf(first)}/base`;
  if (placement === "header") return await prepareConnection(ctx, { baseUrl });
  const integration = await createIntegration(ctx, {
    provider: "private-api-generic",
    uniqueKey: `q${Math.random()}`,
    displayName: undefined,
    forwardWebhooks: true,
    credentials: undefined,
    integrationConfig: {
      baseUrl,
      keyPlacement: "query",
      keyName: "key",
      valueTemplate: "{{credentials.apiKey}}",
    },
    custom: {},
    settings: {},
  });
  const { connection } = await createConnection(ctx, {
    integration,
    connectionId: undefined,
    credentials: { type: "API_KEY", apiKey: "UPSTREAM" },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  return { integration, connection };
}

const matrix = [301, 302, 303, 307, 308].flatMap((status) =>
  Object.keys(places).flatMap((place) =>
    injections.map((injection) => [status, place as keyof typeof places, injection] as const),
  ),
);

test.each(matrix)(
  "%i to %s with the key in the %s: secrets stay with their origin",
  async (status, place, injection) => {
    const prepared = await connect(injection);
    answer = (request, response) => {
      const isNext = request.url?.startsWith("/next") === true;
      if (isNext) response.end("end");
      else response.writeHead(status, { location: places[place]() }).end("moved");
    };

    const { body } = await callProxy(proxy, prepared, {
      method: "POST",
      headers: [
        ...["Follow-Redirects", "true", "Cookie", "COOKIE", "X-API-Key", "OWN", "Accept", "a/b"],
        ...["svc-proxy-cookie", "COOKIE", "svc-proxy-x-own", "OWN", "Content-Type", "c/d"],
      ],
      body: "body",
    });

    expect(body.toString()).toBe("end");
    const [, next] = seen;
    const sent = JSON.stringify([next?.request.url, next?.request.rawHeaders]);
    expect(next?.at.split(" ")[2]).toBe(status > 303 ? "POST" : "GET");
    expect(sent).not.toContain("CALLER");
    if (place === "the same origin") {
      expect(sent).toContain("UPSTREAM");
      expect(sent).toContain("OWN");
    } else expect(sent).not.toMatch(/UPSTREAM|COOKIE|OWN/);
  },
);

test("own headers go to another origin when that is asked for; keys, cookies and what steers the proxy stay", async () => {
  const prepared = await connect("header");
  const location = places["another host and port"]();
  answer = (request, response) => {
    if (request.url === "/next") response.end("end");
    else response.writeHead(307, { location }).end("moved");
  };

  await callProxy(proxy, prepared, {
    headers: [
      ...["Follow-Redirects", "true", "Forward-Headers-On-Redirect", "true", "X-API-Key", "OWN"],
      ...["svc-proxy-x-own", "PREFIXED", "svc-proxy-authorization", "TOKEN", "Cookie", "COOKIE"],
      ...["Connection", "x-hop", "X-Hop", "HOP", "Svc-Retry-After", "X-Wait"],
    ],
  });

  const { headers = {} } = seen[1]?.request ?? {};
  expect(headers).toMatchObject({ "x-api-key": "OWN", "x-own": "PREFIXED" });
  expect(JSON.stringify(headers)).not.toMatch(/UPSTREAM|CALLER|TOKEN|COOKIE|HOP|X-Wait/);
  expect(Object.keys(headers)).not.toContain("connection-id");
  expect(headers.host).toBe(`localhost:${portOf(second)}`);
});

test.each([301, 302, 303, 307, 308])("without the wish a %i is an answer", async (status) => {
  const prepared = await connect("header");
  const location = places["another host"]();
  answer = (_request, response) => response.writeHead(status, { location }).end("moved");

  const result = await callProxy(proxy, prepared);

  expect(result.status).toBe(status);
  expect(result.headers).toContain(location);
  expect(result.body.toString()).toBe("moved");
  expect(seen).toHaveLength(1);
});

test("a redirect to TLS sends nothing before the certificate is known to be good", async () => {
  const prepared = await connect("header");
  const location = `https://127.0.0.1:${portOf(second)}/next`;
  answer = (_request, response) => response.writeHead(307, { location }).end();

  const result = await callProxy(proxy, prepared, { headers: ["Follow-Redirects", "true"] });

  expect(result.status).toBe(502);
  expect(seen).toHaveLength(1);
});

test("more than five are too many, and a body past the replay limit goes out once", async () => {
  const prepared = await connect("header");
  answer = (_request, response) => response.writeHead(307, { location: "/base/x" }).end("moved");
  const headers = ["Follow-Redirects", "true"];

  const many = await callProxy(proxy, prepared, { headers });
  const sent = seen.length;
  const large = await callProxy(proxy, prepared, {
    method: "POST",
    headers,
    body: "x".repeat(2 ** 21),
  });

  expect(many.body.toString()).toContain("redirects more than 5 times");
  expect(sent).toBe(6);
  expect(large.status).toBe(307);
  expect(seen).toHaveLength(7);
});
