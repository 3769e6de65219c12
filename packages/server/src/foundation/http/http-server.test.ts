import { connect } from "node:net";
import { defineRoute } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { AppError, createLogger } from "#foundation";
import { createHttpServer, RecentFailures, serveRoutes } from "#foundation/http";
import { ServerStates } from "../server-state.ts";

const routes = {
  echo: defineRoute({
    method: "POST",
    path: "/things/{name}",
    summary: "Echo",
    principals: ["environment"],
    scope: "environment:proxy",
    params: z.strictObject({ name: z.string().regex(/^[a-z]+$/) }),
    query: z.strictObject({ tags: z.record(z.string(), z.string()).optional() }),
    body: z.strictObject({ count: z.number() }),
    success: { status: 201, schema: z.unknown() },
    errors: ["conflict"],
    idempotent: false,
  }),
  anything: defineRoute({
    method: "ANY",
    bodyLimit: "stream",
    path: "/raw/{path+}",
    summary: "Raw",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
};

const failures = new RecentFailures();

const server = await createHttpServer({
  routes: serveRoutes(routes, {
    echo: async (_ctx, input) => {
      if (input.body.count === 409) throw new AppError("conflict", "Taken.");
      if (input.body.count === 500) throw new Error("inner detail");
      return input;
    },
    anything: async (_ctx, _input, { request, reply }) => {
      reply.hijack();
      const chunks: Buffer[] = [];
      for await (const chunk of request.raw) chunks.push(Buffer.from(chunk));
      reply.raw.end(Buffer.concat(chunks));
    },
  }),
  authorize: async (request) => {
    if (request.headers.authorization === undefined && !request.url.startsWith("/raw")) {
      throw new AppError("missing_auth_header");
    }
    return { state: new ServerStates() } as never;
  },
  bodyLimitBytes: 1000,
  log: createLogger("silent"),
  failures,
  newErrorId: () => "11111111-1111-4111-8111-111111111111",
});

let port = 0;
beforeAll(async () => {
  await server.listen({ host: "127.0.0.1", port: 0 });
  const address = server.server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(async () => await server.close());

const json = { authorization: "Bearer x", "content-type": "application/json" };

async function post(url: string, payload: string, headers: Record<string, string> = json) {
  return await server.inject({ method: "POST", url, headers, payload });
}

test("answers with the route's status and the parsed input", async () => {
  const response = await post("/Things/abc/?tags[a]=b", '{"count":1}');

  expect(response.statusCode).toBe(201);
  expect(response.json()).toEqual({
    params: { name: "abc" },
    query: { tags: { a: "b" } },
    body: { count: 1 },
  });
});

test.each([
  ["/things/abc", "{", 400, "invalid_json"],
  ["/things/abc", "", 400, "invalid_body"],
  ["/things/abc", '{"__proto__":1}', 400, "invalid_json"],
  ["/things/abc", '{"constructor":{"prototype":1}}', 400, "invalid_body"],
  ["/things/abc", '{"count":"1"}', 400, "invalid_body"],
  ["/things/abc", '{"count":1,"more":1}', 400, "invalid_body"],
  ["/things/abc", `{"count":1,"more":"${"x".repeat(2000)}"}`, 413, "request_too_large"],
  ["/things/ABC1", '{"count":1}', 400, "invalid_uri_params"],
  ["/things/a%zz", '{"count":1}', 400, "invalid_uri_params"],
  ["/things/abc?x=1", '{"count":1}', 400, "invalid_query_params"],
  ["/things/abc", '{"count":409}', 409, "conflict"],
  ["/things/abc", '{"count":500}', 500, "server_error"],
  ["/nothing", "{}", 404, "not_found"],
])("%s with %s is %i %s", async (url, payload, status, code) => {
  const response = await post(url, payload);

  expect(response.statusCode).toBe(status);
  expect(Object.keys(response.json())).toEqual(["error"]);
  expect(response.json().error.code).toBe(code);
  expect(response.body).not.toContain("inner detail");
});

test("validation errors say where and what", async () => {
  const response = await post("/things/abc", '{"count":"1"}');

  const { error } = response.json();
  expect(error.message).toBe("`count` must be a number, not a string.");
  expect(error.errors).toEqual([
    { code: "invalid_type", message: expect.any(String), path: ["count"] },
  ]);
});

test("refuses other content types, and asks for a key before it reads a body", async () => {
  const text = await post("/things/abc", "count=1", { ...json, "content-type": "text/plain" });
  const nobody = await post("/things/abc", "{", { "content-type": "application/json" });

  expect([text.statusCode, text.json().error.code]).toEqual([415, "invalid_content_type"]);
  expect([nobody.statusCode, nobody.json().error.code]).toEqual([401, "missing_auth_header"]);
});

test("raw routes get bytes of any type, past the body limit", async () => {
  const bytes = Buffer.alloc(5000, 0xff);

  const response = await server.inject({ method: "PATCH", url: "/raw/a/b", payload: bytes });

  expect(response.rawPayload.equals(bytes)).toBe(true);
});

test("what is not HTTP gets the error body too", async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("NOT HTTP\r\n\r\n"));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").error.code).toBe("invalid_request");
});

test("an answer with 500 is noted by its route, without what the caller sent, and no other answer is", async () => {
  const before = failures.list().length;

  await post("/things/secret", '{"count":409}');
  await post("/things/secret", "{");
  await post("/things/secret", '{"count":500}');

  expect(failures.list()).toHaveLength(before + 1);
  expect(failures.list()[0]).toEqual({
    id: "11111111-1111-4111-8111-111111111111",
    method: "POST",
    route: "/things/{name}",
    at: expect.any(Date),
  });
  expect(JSON.stringify(failures.list())).not.toContain("secret");
});
