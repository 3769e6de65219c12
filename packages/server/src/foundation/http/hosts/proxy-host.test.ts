import { request } from "node:http";
import { installationRoutes, proxyRoutes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createHttpServer, serveRoutes } from "#foundation/http";
import { ServerStates } from "../../server-state.ts";

// Host names are those of a request alone: the server is one, on loopback.

const { getHealth, getReadiness } = installationRoutes;
const balanced = { getHealth, getReadiness };

const server = await createHttpServer({
  routes: [
    ...serveRoutes(proxyRoutes, {
      proxyRequest: async (_ctx, _input, { reply }) => void (await reply.send("proxied")),
    }),
    ...serveRoutes(balanced, {
      getHealth: async () => ({ result: "ok", version: "0.2.0" }),
      getReadiness: async () => ({ result: "ok" }),
    }),
  ],
  authorize: async () => ({ state: new ServerStates() }) as never,
  proxyHost: "proxy.example.com",
  bodyLimitBytes: 1000,
  log: createLogger("silent"),
  newErrorId: () => "id",
});
let port: number;
beforeAll(async () => {
  port = Number(new URL(await server.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(async () => await server.close());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function call(path: string, headers: Record<string, string>, method = "GET") {
  return await new Promise<Answer>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => (body += text));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
    });
    sent.on("error", reject).end();
  });
}

const program = { "provider-config-key": "api", "connection-id": "a" };

test.each([
  ["Origin", "https://app.example.com"],
  ["Origin", "null"],
  ["Sec-Fetch-Site", "same-origin"],
  ["Sec-CH-UA", '"Chromium"'],
])(
  "a browser, known by %s: %s, reaches providers under their own host alone",
  async (name, value) => {
    const browser = { ...program, [name]: value };
    const ask = async (host: string, path = "/proxy/x") => await call(path, { host, ...browser });

    expect(await ask("proxy.example.com")).toMatchObject({ status: 200, body: "proxied" });
    for (const host of ["app.example.com", "localhost", "127.0.0.1", "x.proxy.example.com"]) {
      const refused = await ask(host);
      expect(refused.status, host).toBe(421);
      expect(JSON.parse(refused.body).error).toEqual({
        code: "misdirected_request",
        message: "Pages call /proxy under proxy.example.com.",
      });
    }
    expect((await ask("app.example.com", "/PROXY/x")).status).toBe(421);
  },
);

test("a page may read why it was refused, and its preflight is answered", async () => {
  const origin = "https://app.example.com";
  const main = { host: "main.example.com", origin };
  const asks = { "access-control-request-method": "GET" };

  const refused = await call("/proxy/x", { ...program, ...main });
  const preflight = await call("/proxy/x", { ...main, ...asks }, "OPTIONS");

  expect(refused.headers["access-control-allow-origin"]).toBe(origin);
  expect(preflight.status).toBe(204);
});

test.each([
  "proxy.example.com",
  "PROXY.example.com:8443",
  "proxy.example.com.",
  "main.example.com",
])("a program reaches providers under %s", async (host) => {
  expect(await call("/proxy/x", { host, ...program })).toMatchObject({ status: 200 });
});

test.each(["/", "/openapi.json", "/docs/api", "/docs", "/connect", "/dashboard", "/unknown"])(
  "the host of providers does not serve %s",
  async (path) => {
    const answers = await Promise.all([
      call(path, { host: "proxy.example.com" }),
      call(path, { host: "Proxy.Example.com:443", "sec-fetch-mode": "navigate" }),
    ]);

    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).toContain("Under proxy.example.com there is nothing but /proxy.");
    }
  },
);

test("balancers may ask for health under each name, and no forwarded name counts", async () => {
  const host = "proxy.example.com";

  expect((await call("/health", { host })).status).toBe(200);
  expect((await call("/ready", { host })).status).toBe(200);
  expect((await call("/health", { host: "main.example.com" })).status).toBe(200);
  const forged = { "x-forwarded-host": host, forwarded: `host=${host}`, origin: "null" };
  expect((await call("/proxy/x", { host: "main.example.com", ...forged })).status).toBe(421);
});
