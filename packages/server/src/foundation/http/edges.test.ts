import { request } from "node:http";
import { defineRoute } from "@jackfield/contract";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { AppError, createLogger } from "#foundation";
import { createHttpServer, serveRoutes } from "#foundation/http";
import { ServerStates } from "../server-state.ts";
import { unknownRoute } from "./routes/unknown-route.ts";

const shared = {
  summary: "Test",
  principals: ["public"],
  scope: "public",
  errors: [],
  idempotent: false,
  success: { status: 200, schema: z.unknown() },
} as const;

const routes = {
  save: defineRoute({ ...shared, method: "POST", path: "/things", body: z.unknown() }),
  list: defineRoute({ ...shared, method: "GET", path: "/things", aliases: ["/old-things"] }),
  find: defineRoute({
    ...shared,
    method: "GET",
    path: "/things/{id}",
    errors: ["unknown_connection", { code: "unknown_provider_config", status: 400 }],
    messageNextToError: true,
  }),
  remove: defineRoute({ ...shared, method: "DELETE", path: "/things/{id}" }),
  oldFind: defineRoute({
    ...shared,
    method: "GET",
    path: "/thing/{id}",
    deprecated: { since: "2026-01-02", sunset: "2027-01-02", use: "GET /things/{id}" },
  }),
  form: defineRoute({
    ...shared,
    method: "POST",
    path: "/form",
    body: z.strictObject({ a: z.string() }),
    form: true,
  }),
  pass: defineRoute({
    ...shared,
    method: "ANY",
    path: "/pass/{path+}",
    raw: true,
    sessions: "refused",
    proxied: true,
  }),
};

const server = await createHttpServer({
  routes: serveRoutes(routes, {
    save: async (_ctx, input) => ({ saved: input.body }),
    list: async () => [],
    find: async (_ctx, { params }) => {
      if (Object(params).id === "a")
        throw new AppError("unknown_provider_config", "No such thing.");
      throw new AppError("unknown_connection", "No such thing.");
    },
    remove: async () => ({ removed: true }),
    oldFind: async () => ({}),
    form: async (_ctx, input) => input.body,
    pass: async (_ctx, _input, exchange) => {
      await exchange.reply.send({ url: exchange.request.raw.url });
    },
  }),
  authorize: async (request) => {
    if (request.headers.authorization === "Bearer wrong") throw new AppError("unknown_account");
    return { state: new ServerStates() } as never;
  },
  bodyLimitBytes: 10_000,
  log: createLogger("silent"),
  newErrorId: () => "id",
});
afterAll(async () => await server.close());

async function post(payload: string | Buffer, headers: Record<string, string> = {}) {
  const all = { "content-type": "application/json", ...headers };
  return await server.inject({ method: "POST", url: "/things", headers: all, payload });
}

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test.each([
  ["65 levels", deep(65), "The body is nested deeper than 64 levels (at byte 64)."],
  ["5000 levels of objects", '{"a":'.repeat(2000), /^The body is nested deeper than 64 levels/],
  ["NUL", '{"a":"x\\u0000"}', "The body holds the character \\u0000 (at byte 9)."],
  ["half a pair", '{"a":"\\ud83d"}', "The body holds half of a surrogate pair (at byte 8)."],
  ["a low half", '["\\udc00"]', "The body holds half of a surrogate pair (at byte 4)."],
  [
    "a number past the range",
    '{"a":-1e400}',
    "The body holds a number that is too large (-1e400).",
  ],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "The body is not valid UTF-8."],
  [
    "a reserved key",
    '{"a":{"__proto__":1}}',
    "The body has a key `__proto__`, which no value may have; rename it.",
  ],
  ["nothing in it", " ", "The body is empty; send JSON."],
  ["an end that is missing", '{"a":', "The body is not valid JSON: it ends too early."],
  [
    "a comma too many",
    '{"a":1,}',
    "The body is not valid JSON: it goes wrong at line 1, column 8.",
  ],
  [
    "a comma too few",
    '{\n  "a": 1\n  "b": 2\n}',
    "The body is not valid JSON: it goes wrong at line 3, column 3.",
  ],
  ["no JSON", "password", "The body is not valid JSON: it goes wrong at line 1, column 1."],
])("refuses JSON with %s, and says where", async (_what, payload, message) => {
  const answer = await post(payload);

  const { error } = answer.json();
  expect([answer.statusCode, error.code]).toEqual([400, "invalid_json"]);
  if (typeof message === "string") expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
});

test("an empty body of JSON is none", async () => {
  const answer = await post("");

  expect(answer.statusCode).toBe(200);
});

test.each([
  deep(64),
  '{"a":"[[[[\\"{{\\\\u0000 \\ud83d\\ude00 1e400","true":true,"n":1e300,"m":1E-400}',
  '"\u{1f600} é"',
])("takes JSON that only looks like it", async (payload) => {
  const answer = await post(payload);

  expect(answer.statusCode).toBe(200);
  expect(answer.json().saved).toEqual(JSON.parse(payload));
});

test("refuses packed and foreign bodies before it reads them, and says the limit of long ones", async () => {
  const packed = await post("x", { "content-encoding": "gzip" });
  const foreign = await post("{}", { "content-type": "application/json; charset=utf-16" });
  const long = await post(`"${"x".repeat(10_001)}"`);
  const chunked = await server.inject({
    method: "POST",
    url: "/things",
    headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
    payload: `"${"x".repeat(10_001)}"`,
  });

  expect([packed, foreign, long, chunked].map(({ statusCode }) => statusCode)).toEqual([
    415, 415, 413, 413,
  ]);
  expect(packed.json().error.message).toContain("gzip");
  expect(foreign.json().error.message).toContain("utf-16");
  expect(long.json().error.message).toContain("10000 bytes");
});

test("a part of a path that is longer than any name is the caller's fault", async () => {
  const answer = await server.inject({ url: `/things/${"a".repeat(3000)}` });

  expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_uri_params"]);
});

test("an empty body is none where the route takes none", async () => {
  const headers = { "content-type": "application/json" };

  const removed = await server.inject({ method: "DELETE", url: "/things/a", headers });

  expect(removed.json()).toEqual({ removed: true });
});

test("refuses a control header that is sent twice, and %00 in an address", async () => {
  await server.listen({ host: "127.0.0.1", port: 0 });
  const address = server.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const status = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        path: "/things",
        headers: ["Connection-Id", "a", "connection-id", "b", "Host", "x"],
      },
      (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (text: string) => {
          body += text;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    sent.on("error", reject).end();
  });
  const nul = await server.inject({ method: "GET", url: "/things/a%00" });
  const nulQuery = await server.inject({ method: "GET", url: "/things?x=%00" });

  expect(status.status).toBe(400);
  expect(JSON.parse(status.body).error).toMatchObject({
    code: "invalid_headers",
    message: "The header `Connection-Id` is sent twice; send it once.",
  });
  expect([nul.statusCode, nul.json().error.code]).toEqual([400, "invalid_uri_params"]);
  expect([nulQuery.statusCode, nulQuery.json().error.code]).toEqual([400, "invalid_query_params"]);
});

test.each([
  ["GET", "/thinqs", "There is no GET /thinqs. The nearest is GET /things."],
  [
    "GET",
    "/tings/abcdefghijkl",
    "There is no GET /tings/abcdefghijkl. The nearest is GET /things/{id}.",
  ],
  ["GET", "/favicon.ico", "There is no GET /favicon.ico. All routes are listed at /docs/api."],
  ["POST", "/x", "There is no POST /x. All routes are listed at /docs/api."],
  ["POST", "/things/a/", "There is no POST /things/a/; the path takes DELETE, GET."],
] as const)("%s %s: the answer says what exists", async (method, url, message) => {
  const answer = await server.inject({ method, url });

  expect([answer.statusCode, answer.json().error]).toEqual([404, { code: "not_found", message }]);
});

test("of a route for any method, the methods are named", () => {
  const route = defineRoute({
    method: "ANY",
    path: "/proxy/{anyPath+}",
    summary: "",
    principals: ["public"],
    scope: "public",
    bodyLimit: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
  });

  const { headers } = unknownRoute([route], { method: "PROPFIND", path: "/proxy/x" });

  expect(headers).toEqual({ Allow: "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT" });
});

test("names allowed methods in the header too", async () => {
  const answer = await server.inject({ method: "PUT", url: "/things" });

  expect(answer.headers["allow"]).toBe("GET, POST");
});

test("deprecated routes and aliases say so, failures included, and no others", async () => {
  const old = await server.inject({ method: "GET", url: "/thing/a%20b" });
  const alias = await server.inject({ method: "GET", url: "/old-things" });
  const refused = await server.inject({
    method: "GET",
    url: "/thing/a",
    headers: { authorization: "Bearer wrong" },
  });
  const current = await server.inject({ method: "GET", url: "/things" });

  expect(old.headers).toMatchObject({
    deprecation: "@1767312000",
    sunset: "Sat, 02 Jan 2027 00:00:00 GMT",
    link: '</things/a%20b>; rel="successor-version", </docs/api>; rel="deprecation"; type="text/html"',
  });
  expect(alias.headers["link"]).toContain("</things>");
  expect(refused.headers["deprecation"]).toBe("@1767312000");
  expect([current.headers["deprecation"], current.headers["sunset"]]).toEqual([
    undefined,
    undefined,
  ]);
});

test("a route may give a code a status of its own, and say the message next to the error", async () => {
  const own = await server.inject({ method: "GET", url: "/things/a" });
  const usual = await server.inject({ method: "GET", url: "/things/b" });

  expect([own.statusCode, usual.statusCode]).toEqual([400, 404]);
  expect(own.json()).toEqual({
    message: "No such thing.",
    error: { code: "unknown_provider_config", message: "No such thing." },
  });
});

test("a route that takes a form takes nothing else", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const taken = await server.inject({
    method: "POST",
    url: "/form",
    headers: form,
    payload: "a=1",
  });
  const json = { "content-type": "application/json" };
  const refused = await server.inject({
    method: "POST",
    url: "/form",
    headers: json,
    payload: "{}",
  });

  expect(taken.json()).toEqual({ a: "1" });
  expect(refused.statusCode).toBe(415);
});

test("the rest of a path may be empty, and own failures on such a route are marked", async () => {
  const urls = ["/pass", "/pass/", "/pass?x=1", "/pass/a/b?x=1"];
  const answers = await Promise.all(urls.map(async (url) => await server.inject({ url })));
  const refused = await server.inject({
    url: "/pass/a",
    headers: { authorization: "Bearer wrong" },
  });
  const unreadable = await server.inject({ url: "/pass/a%zz" });
  const elsewhere = await server.inject({ url: "/things/a" });

  expect(answers.map((answer) => answer.json().url)).toEqual(urls);
  expect(refused.statusCode).toBe(401);
  expect(refused.headers["svc-error-source"]).toBe("platform");
  expect([unreadable.statusCode, unreadable.headers["svc-error-source"]]).toEqual([
    400,
    "platform",
  ]);
  expect(elsewhere.headers["svc-error-source"]).toBeUndefined();
});

test("CORS headers answer an Origin, and nobody else", async () => {
  const origin = { origin: "https://app.example" };
  const plain = await server.inject({ url: "/things" });
  const fromPage = await server.inject({ url: "/things", headers: origin });
  const withCookies = await server.inject({
    method: "OPTIONS",
    url: "/connect/telemetry",
    headers: { ...origin, "access-control-request-method": "POST" },
  });
  const preflight = await server.inject({
    method: "OPTIONS",
    url: "/things",
    headers: { ...origin, "access-control-request-method": "POST" },
  });
  const noPreflight = await server.inject({ method: "OPTIONS", url: "/things" });

  expect(Object.keys(plain.headers).join()).not.toContain("access-control");
  expect(fromPage.headers["access-control-allow-origin"]).toBe("https://app.example");
  expect(fromPage.headers).not.toHaveProperty("access-control-allow-credentials");
  expect(withCookies.headers).toMatchObject({
    "access-control-allow-origin": "https://app.example",
    "access-control-allow-credentials": "true",
  });
  expect(fromPage.headers["access-control-expose-headers"]).toContain("X-RateLimit-Reset");
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers["access-control-max-age"]).toBe("600");
  expect(preflight.headers["access-control-allow-headers"]).toContain("Provider-Config-Key");
  expect([noPreflight.statusCode, noPreflight.json().error.code]).toEqual([404, "not_found"]);
});
