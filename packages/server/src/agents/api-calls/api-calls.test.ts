import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Answer, type CarefulApp, startCarefulApp } from "../testing/careful-app.ts";
import { allowsRequest, toParts } from "./path-rules.ts";

const arrived: { call: string; type: string | undefined; body: string }[] = [];
const provider = createServer((request, response) => {
  void text(request).then((body) => {
    const call = `${request.method} ${request.url}`;
    arrived.push({ call, type: request.headers["content-type"], body });
    if (request.url?.endsWith("/moved")) response.writeHead(302, { location: "/x" }).end();
    else response.setHeader("content-type", "application/json").end('{"id":7}');
  });
});
let careful: CarefulApp;

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  careful = await startCarefulApp();
});
beforeEach(async () => {
  arrived.length = 0;
  await careful.enter(`http://127.0.0.1:${Object(provider.address()).port}/v1`);
});
afterAll(async () => {
  await careful[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

const allow = [
  { methods: ["GET", "POST"], paths: ["/objects/*", "/open/**"] },
  { methods: ["DELETE"], paths: ["/objects/*"] },
];
const api = [
  {
    integration: "crm",
    allow,
    deny: [{ methods: ["GET", "POST", "DELETE"], paths: ["/open/secret/**", "/objects/keys"] }],
  },
];

/** A session of a toolset with these rules and nothing else, and how it calls the API. */
async function begin(more: object = {}) {
  const { status, error } = await careful.api("PUT", "/agent/toolsets/helper", {
    ...{ mode: "direct", tools: [], api, policy: { preset: "trusted" } },
    ...more,
  });
  if (status !== 200) throw new Error(JSON.stringify(error));
  const session = await careful.open("helper");
  const call = async (method: string, path: string, args: object = {}): Promise<Answer> =>
    await session.callTool("api__crm", { method, path, ...args });
  return { ...session, call };
}

test("requests that the rules allow are sent, with no header but the content type", async () => {
  const { client, call } = await begin();
  const { tools } = await client.listTools();

  // An answer may be anybody's words: the next session has read none.
  const callOnce: typeof call = async (...args) => await (await begin()).call(...args);
  await callOnce("POST", "/open/a/b", { body: { x: 1 } });
  await callOnce("POST", "/open/form", {
    ...{ body: { x: "1 2" }, content_type: "application/x-www-form-urlencoded" },
  });
  await callOnce("POST", "/open/text", { body: "plain", content_type: "text/plain" });
  const got = await call("GET", "/objects/contacts", { query: { limit: 5, tag: ["a", "b"] } });
  const tainted = await call("POST", "/open/a/b", { body: { x: 1 } });
  const withHeader = await call("GET", "/objects/contacts", { headers: { "x-a": "b" } });
  const elsewhere = await call("GET", "https://evil.example/objects/contacts");

  const tool = tools.find(({ name }) => name === "api__crm");
  expect(tool?.description).toContain("Allowed: GET|POST /objects/*, GET|POST /open/**");
  expect(tool?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(tool?.inputSchema).toMatchObject({
    properties: { method: { enum: ["GET", "POST", "DELETE"] } },
  });
  expect(got).toEqual({ id: 7 });
  expect(tainted.code).toBe("approval_required");
  expect(arrived.map(({ call, type, body }) => [call, type, body])).toEqual([
    ["POST /v1/open/a/b", "application/json", '{"x":1}'],
    ["POST /v1/open/form", "application/x-www-form-urlencoded", "x=1+2"],
    ["POST /v1/open/text", "text/plain", "plain"],
    ["GET /v1/objects/contacts?limit=5&tag=a&tag=b", undefined, ""],
  ]);
  expect([withHeader.code, elsewhere.code]).toEqual(["invalid_input", "invalid_input"]);
});

test("what no rule allows and what a rule denies is not sent, however it is written", async () => {
  const { call } = await begin();
  const paths = [
    ...["/other", "/objects", "/objects/a/b", "/objects/keys", "/objects/KEYS", "/open/secret"],
    ...["/open/secret/x", "/v1/open/secret/x", "/open/SECRET/x", "/open/%73ecret/x"],
    ...["/open/a/../secret/x", "/open/%2e%2e/objects/keys", "/open/./secret/x", "/open//secret/x"],
    ...["/open/a%2f..%2fsecret/x", "/open/a%5C..%5Csecret/x", "/open/a\\..\\secret\\x"],
    ...["/open/%252e%252e/x", "/open/a%252fb", "/open/secret;x/y", "/open/;/secret/x"],
    ...["//evil.example/objects/contacts", "/open/a%00", "/open/a%0d%0ab", "/open/%ff"],
    ...["/open/a b", "/open/ä", "/objects/contacts?x=1", "/objects/contacts#x", ""],
  ];

  for (const path of paths) {
    const { code } = await call("GET", path);
    expect(["policy_denied", "invalid_input"], path).toContain(code);
  }
  const put = await call("PUT", "/objects/contacts", { body: {} });
  const override = await call("GET", "/objects/contacts", { query: { _method: "DELETE" } });

  expect([put.code, override.code]).toEqual(["policy_denied", "invalid_input"]);
  expect(arrived).toEqual([]);
});

test("a path has one reading, and rules compare it part by part", () => {
  const fits = (path: string, pattern: string) => {
    const rules = { allow: [{ methods: ["GET" as const], paths: [pattern] }] };
    return allowsRequest(rules, { method: "GET", parts: toParts(path) ?? ["no", "reading"] });
  };

  expect(fits("/a/b%20c", "/a/*")).toBe(true);
  expect(fits("/a/b", "/a/b*")).toBe(false);
  expect(fits("/a/bc", "/a/b*")).toBe(true);
  expect(fits("/a/b/", "/a/b")).toBe(true);
  expect(fits("/a", "/a/**")).toBe(true);
  expect(fits("/ab", "/a/**")).toBe(false);
  expect(fits("/", "/")).toBe(true);
  expect(fits("/a/x/c", "/a/*/c")).toBe(true);
  expect(fits("/a/x/y/c", "/a/*/c")).toBe(false);
});

test("each request has the effect of its method, and waits where the policy says so", async () => {
  const { call } = await begin({ policy: { preset: "careful" } });

  const read = await call("GET", "/objects/contacts");
  const write = await call("POST", "/objects/contacts", { body: { x: 1 } });
  const destroy = await call("DELETE", "/objects/contacts");
  const { data: asked } = await careful.api("GET", `/agent/approvals/${write.approval_id}`);
  await careful.decide(write.approval_id);
  const other = await call("POST", "/objects/contacts", { body: { x: 2 } });
  const made = await call("POST", "/objects/contacts", { body: { x: 1 } });

  expect(read).toEqual({ id: 7 });
  expect([write.code, destroy.code, other.code]).toEqual(Array(3).fill("approval_required"));
  expect(asked).toMatchObject({
    ...{ tool: "api__crm", effect: "write" },
    request: { method: "POST", url: "/objects/contacts", body: '{"x":1}' },
  });
  expect(made).toEqual({ id: 7 });
  expect(arrived.map(({ call }) => call)).toEqual([
    ...["GET /v1/objects/contacts", "POST /v1/objects/contacts"],
  ]);
  const { data: calls } = await careful.api("GET", "/agent/calls");
  expect(calls.map((each: Answer) => each.effect)).toContain("destructive");
});

test("a session that only reads may read, and has no tool where nothing can be read", async () => {
  const reading = await begin({ effects: ["read"] });
  const read = await reading.call("GET", "/objects/contacts");
  const write = await reading.call("POST", "/objects/contacts", { body: {} });
  const { tools } = await reading.client.listTools();
  const only = [{ integration: "crm", allow: [{ methods: ["DELETE"], paths: ["/objects/*"] }] }];
  const none = await (await begin({ effects: ["read"], api: only })).client.listTools();

  expect(read).toEqual({ id: 7 });
  expect(write.code).toBe("policy_denied");
  const shown = tools.find(({ name }) => name === "api__crm");
  expect(shown?.annotations).toMatchObject({ readOnlyHint: true });
  expect(none.tools.map(({ name }) => name)).not.toContain("api__crm");
});

test("there is no such tool unless a toolset has rules for it, and redirects are not followed", async () => {
  const { call } = await begin({
    api: [{ integration: "crm", allow: [{ methods: ["GET"], paths: ["/**"] }] }],
  });
  const moved = await call("GET", "/moved");
  const without = await begin({ tools: [{ integration: "crm" }], api: undefined });
  const empty = await careful.api("PUT", "/agent/toolsets/empty", { tools: [] });

  expect(moved).toMatchObject({ code: "provider_error", status: 302 });
  expect(arrived).toHaveLength(1);
  expect((await without.call("GET", "/objects/contacts")).code).toBe("unknown_tool");
  expect(empty.status).toBe(400);
});
