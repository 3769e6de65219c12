import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";
import { fillIn, readBadInputs } from "./read-bad-inputs.ts";

// The bad-input catalogue: what somebody sends who has misread the documentation, and word for word the
// answer. A text that changes here changes for users. Rows whose faults lie elsewhere than in a request
// are proved where they belong: refreshes, callbacks, functions, webhooks, upstream failures.

let api: ApiUnderTest;
let names: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  api = await startApi({ SVC_BODY_LIMIT: "1" });
  const key = await api.keyOf("dev", ["environment:*"]);
  const otherKey = await api.keyOf("prod", ["environment:*"]);
  const plainKey = await api.keyOf("dev", ["environment:connections:list"]);
  const accountKey = await api.keyOf("account", ["account:*"]);
  await seed(key, "crm", "acme");
  await seed(otherKey, "erp", "globex");
  names = {
    key,
    "plain key": plainKey,
    "account key": accountKey,
    session: await openSession(key),
  };
}, 30_000);
afterAll(async () => await api[Symbol.asyncDispose]());

async function create(key: string, path: string, body: object): Promise<unknown> {
  const headers = [
    ["authorization", `Bearer ${key}`],
    ["content-type", "application/json"],
  ] as const;
  const sent = { method: "POST", path, headers, body: JSON.stringify(body) };
  const { status, text } = await send(sent);
  expect(status, text).toBeLessThan(300);
  return JSON.parse(text);
}

async function seed(key: string, integration: string, connection: string): Promise<void> {
  await create(key, "/integrations", { provider: "private-api-bearer", unique_key: integration });
  await create(key, "/connections", {
    provider_config_key: integration,
    connection_id: connection,
    credentials: { type: "API_KEY", apiKey: "k" },
  });
}

async function openSession(key: string): Promise<string> {
  const answer = await create(key, "/connect/sessions", { tags: {} });
  return String(Object(answer).data.token);
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
}

/** Over `node:http`, which sends what `fetch` refuses to. */
async function send({ method, path, headers, body }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const outgoing = request(`${api.url}${path}`, { method, agent: false }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
    });
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
  });
  outgoing.on("error", reject);
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.end(body);
  return await promise;
}

/** What is not in a row: the full key, and JSON as the type of a body. */
function withDefaults(headers: Sent["headers"], hasBody: boolean): Sent["headers"] {
  const has = (wanted: string) => headers.some(([name]) => name === wanted);
  return [
    ...(has("authorization") ? [] : [["authorization", "Bearer <key>"] as const]),
    ...(has("content-type") || !hasBody ? [] : [["content-type", "application/json"] as const]),
    ...headers.filter(([name, value]) => !(name === "authorization" && value === "none")),
  ];
}

test.each(readBadInputs().map((row) => [row.title, row] as const))("%s", async (_title, row) => {
  const headers = withDefaults(row.headers, row.body !== undefined);

  const { status, text } = await send({
    ...row,
    headers: headers.map(([name, value]) => [name, fillIn(value, names)] as const),
  });

  const { error, ...neighbour } = JSON.parse(text);
  const message = row.expected.message.replaceAll("<platform>", api.url);
  const reported = { status, code: error?.code, message: error?.message };
  expect(reported).toEqual({ ...row.expected, message });
  expect(Object.keys(neighbour).filter((name) => name !== "message")).toEqual([]);
  expect(Object.keys(error)).toEqual(expect.arrayContaining(["code", "message"]));
  expect(Object.keys(error).filter((name) => !/^(code|message|errors)$/.test(name))).toEqual([]);
});

test.each([
  ["the last of two values of one name", '{"value":"first","value":"last"}', "last"],
  [
    "a template as the text that it is",
    `{"value":"\${credentials.apiKey} {{env.X}}"}`,
    `\${credentials.apiKey} {{env.X}}`,
  ],
  ["a name of JavaScript's own", '{"value":"constructor"}', "constructor"],
])("%s is kept", async (_what, body, kept) => {
  const auth = ["authorization", `Bearer ${names["key"]}`] as const;
  const headers = [auth, ["content-type", "application/json"] as const];

  const stored = await send({ method: "PUT", path: "/environment-variables/V", headers, body });
  const read = await send({ method: "GET", path: "/environment-variables", headers: [auth] });

  expect(stored.status).toBe(200);
  expect(JSON.parse(read.text)).toContainEqual({ name: "V", value: kept });
});

test.each([
  ["`bearer` in small letters", "bearer <key>", "/connections"],
  ["a key with a space behind it", "Bearer <key> ", "/connections"],
  ["a page past the end", "Bearer <key>", "/connections?page=5000"],
])("%s is no mistake", async (_what, authorization, path) => {
  const headers = [["authorization", fillIn(authorization, names)] as const];

  expect((await send({ method: "GET", path, headers })).status).toBe(200);
});
