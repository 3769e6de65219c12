import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getIntegration } from "#integrations";
import { type Answer, type CarefulApp, startCarefulApp } from "../testing/careful-app.ts";
import { deleteDocumentOf } from "./put-document.ts";

interface Arrived {
  readonly call: string;
  readonly type: string | undefined;
  readonly body: string;
}

const arrived: Arrived[] = [];
const provider = createServer((request, response) => void answer(request, response));
let careful: CarefulApp;

async function answer(
  request: Parameters<Parameters<typeof createServer>[1] & object>[0],
  response: Parameters<Parameters<typeof createServer>[1] & object>[1],
): Promise<void> {
  const call = `${request.method} ${request.url}`;
  arrived.push({ call, type: request.headers["content-type"], body: await text(request) });
  if (request.url === "/openapi.json") response.end(JSON.stringify(crm));
  else if (request.url?.startsWith("/moved"))
    response.writeHead(302, { location: "/elsewhere" }).end();
  else if (request.url?.startsWith("/missing")) response.writeHead(404).end('{"no":"such thing"}');
  else response.setHeader("content-type", "application/json").end('{"id":7}');
}

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  careful = await startCarefulApp();
});
beforeEach(async () => {
  arrived.length = 0;
  await careful.enter(`http://127.0.0.1:${Object(provider.address()).port}`);
});
afterAll(async () => {
  await careful[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const query = (name: string, schema: object, more: object = {}) => {
  return { name, in: "query", schema, ...more };
};
const texts = { type: "array", items: { type: "string" } };
const filter = { type: "object", properties: { name: { type: "string" } } };
const contact = {
  type: "object",
  required: ["email"],
  properties: {
    id: { type: "string", readOnly: true },
    email: { type: "string", pattern: "^[^@]+@[^@]+$" },
    parent: { $ref: "#/components/schemas/Contact" },
  },
};
const json = (schema: object) => ({ required: true, content: { "application/json": { schema } } });
const parts = {
  type: "object",
  properties: { file: { type: "string", format: "binary" }, title: { type: "string" } },
};

const crm = {
  openapi: "3.0.3",
  info: { title: "CRM", version: "2" },
  components: { schemas: { Contact: contact } },
  paths: {
    "/contacts": {
      get: {
        operationId: "listContacts",
        tags: ["contacts"],
        summary: "Lists contacts",
        parameters: [
          query("limit", { type: "integer", maximum: 100 }),
          query("tags", texts),
          query("ids", texts, { explode: false }),
          query("filter", filter, { style: "deepObject", explode: true }),
          { name: "X-Trace", in: "header", schema: { type: "string" } },
        ],
        responses: { 200: {} },
      },
      post: {
        operationId: "createContact",
        tags: ["contacts"],
        requestBody: json({ $ref: "#/components/schemas/Contact" }),
        responses: { 200: {} },
      },
    },
    "/contacts/{id}": {
      parameters: [id],
      get: { operationId: "getContact", responses: { 200: {} } },
      delete: { operationId: "deleteContact", tags: ["contacts"], responses: { 204: {} } },
    },
    "/contacts/search": {
      post: { operationId: "searchContacts", requestBody: json(filter), responses: { 200: {} } },
    },
    "/files": {
      post: {
        operationId: "uploadFile",
        requestBody: { required: true, content: { "multipart/form-data": { schema: parts } } },
        responses: { 200: {} },
      },
    },
    "/charges": {
      post: {
        operationId: "charge",
        requestBody: {
          required: true,
          content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
        },
        responses: { 200: {} },
      },
    },
    "/moved": { get: { operationId: "moved", responses: {} } },
    "/missing": { get: { operationId: "missing", responses: {} } },
    "/far": {
      get: {
        operationId: "far",
        parameters: [{ $ref: "https://evil.example/p.json" }],
        responses: {},
      },
    },
    "/cookie": {
      get: {
        operationId: "withCookie",
        parameters: [{ name: "sid", in: "cookie", required: true }],
        responses: {},
      },
    },
  },
};

async function put(document: object | string, more: object = {}): Promise<Answer> {
  const sent = typeof document === "string" ? document : JSON.stringify(document);
  return await careful.api("PUT", "/integrations/crm/openapi", { document: sent, ...more });
}

const trusted = { toolset: { preset: "trusted" } };

test("operations of a document are tools at once, and what cannot be one is listed with its reason", async () => {
  const made = await put(crm, { effects: { searchContacts: "read" } });
  const { client } = await careful.begin();
  const { tools } = await client.listTools();

  expect(made.data).toMatchObject({ title: "CRM", version: "2", source_url: null, excluded: 0 });
  expect(made.data.operations.map((each: Answer) => [each.tool, each.effect])).toEqual([
    ["crm__list-contacts", "read"],
    ["crm__create-contact", "write"],
    ["crm__get-contact", "read"],
    ["crm__delete-contact", "destructive"],
    ["crm__search-contacts", "read"],
    ["crm__upload-file", "write"],
    ["crm__charge", "write"],
    ["crm__moved", "read"],
    ["crm__missing", "read"],
  ]);
  expect(made.data.left_out).toEqual([
    {
      operation: "GET /far",
      reason: 'refers to "https://evil.example/p.json", which is not in the document',
    },
    { operation: "GET /cookie", reason: 'needs the parameter "sid" in cookie' },
  ]);
  const shown = tools.find(({ name }) => name === "crm__create-contact");
  expect(shown?.inputSchema).toMatchObject({
    properties: { body: { $ref: "#/definitions/Contact" } },
    definitions: { Contact: { properties: { parent: { $ref: "#/definitions/Contact" } } } },
  });
  expect(JSON.stringify(shown?.inputSchema)).not.toContain("readOnly");
  expect(shown?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  expect(await careful.api("GET", "/integrations/crm/openapi")).toEqual({ ...made, status: 200 });
});

test("parameters and bodies are written as the document says", async () => {
  await put(crm);
  const call = async (name: string, input: object): Promise<Answer> =>
    // An answer may be anybody's words: the next session has read none.
    await (await careful.begin(trusted)).call(name, input);
  const base64 = Buffer.from("bytes").toString("base64");

  await call("create-contact", { body: { email: "a@b.c", parent: { email: "d@e.f" } } });
  await call("charge", { body: { amount: 5, meta: { deep: { x: 1 } }, items: [{ id: 1 }] } });
  await call("upload-file", { body: { file: base64, title: "T" } });
  const listed = await call("list-contacts", {
    ...{ limit: 5, tags: ["a b", "c"], ids: ["1", "2"], filter: { name: "x&y" }, "X-Trace": "t" },
  });
  await call("get-contact", { id: "a/../b" });

  expect(listed).toEqual({ id: 7 });
  expect(arrived.map(({ call, type }) => [call, type?.split(";")[0]])).toEqual([
    ["POST /contacts", "application/json"],
    ["POST /charges", "application/x-www-form-urlencoded"],
    ["POST /files", "multipart/form-data"],
    ["GET /contacts?limit=5&tags=a%20b&tags=c&ids=1%2C2&filter%5Bname%5D=x%26y", undefined],
    ["GET /contacts/a%2F..%2Fb", undefined],
  ]);
  expect(arrived[0]?.body).toBe('{"email":"a@b.c","parent":{"email":"d@e.f"}}');
  expect(decodeURIComponent(arrived[1]?.body ?? "")).toBe(
    "amount=5&meta[deep][x]=1&items[0][id]=1",
  );
  expect(arrived[2]?.body).toContain('name="file"; filename="file"');
  expect(arrived[2]?.body).toContain("bytes");
});

test("an input is checked by the whole schema before anything is sent", async () => {
  await put(crm);
  const { call } = await careful.begin(trusted);

  const faults = [
    await call("list-contacts", { limit: 101 }),
    await call("list-contacts", { unknown: 1 }),
    await call("create-contact", { body: { email: "no address" } }),
    await call("create-contact", { body: { email: "a@b.c", parent: {} } }),
    await call("get-contact", { id: ".." }),
    await call("get-contact"),
  ];

  expect(faults.map(({ code }) => code)).toEqual(faults.map(() => "invalid_input"));
  expect(faults.map(({ message }) => message)).toEqual([
    "/limit: must be <= 100",
    "the input: must NOT have additional properties: unknown",
    '/body/email: must match pattern "^[^@]+@[^@]+$"',
    "/body/parent: must have required property 'email'",
    "id: cannot be a part of a path",
    "the input: must have required property 'id'",
  ]);
  expect(arrived).toEqual([]);
});

test("what an operation changes waits for approval of the very request, which is then sent", async () => {
  await put(crm);
  const { call } = await careful.begin();
  const base64 = Buffer.from("bytes").toString("base64");
  const input = { body: { file: base64, title: "T" } };

  const asked = await call("upload-file", input);
  const { data } = await careful.api("GET", `/agent/approvals/${asked.approval_id}`);
  const before = arrived.length;
  await careful.decide(asked.approval_id);
  const sent = await call("upload-file", input);

  expect(asked.code).toBe("approval_required");
  expect(data.request).toMatchObject({ method: "POST", url: "/files" });
  expect(before).toBe(0);
  expect(sent).toEqual({ id: 7 });
  expect(arrived[0]?.body).toBe(data.request.body);
});

test("a provider's refusals are failures, and redirects are not followed", async () => {
  await put(crm);
  const { call } = await careful.begin();

  expect(await call("missing")).toMatchObject({
    ...{ code: "provider_error", status: 404, details: { no: "such thing" } },
  });
  expect(await call("moved")).toMatchObject({ code: "provider_error", status: 302 });
  expect(arrived.map(({ call }) => call)).toEqual(["GET /missing", "GET /moved"]);
});

test("operations are chosen by id and tag, and a name that the document has not is refused", async () => {
  const chosen = await put(crm, { include: ["contacts"], exclude: ["deleteContact"] });
  const unknown = await put(crm, { include: ["contact"] });
  const wrong = await put(crm, { effects: { nothing: "read" } });

  expect(chosen.data.operations.map(({ name }: Answer) => name)).toEqual([
    ...["list-contacts", "create-contact"],
  ]);
  expect(chosen.data.excluded).toBe(9);
  expect(unknown).toMatchObject({ status: 400 });
  expect(unknown.error.message).toContain('include: the document has no "contact"');
  expect(wrong.error.message).toContain('effects: the document has no "nothing"');
});

test("a document is removed by itself, and with its integration", async () => {
  await put(crm);

  const removed = await careful.api("DELETE", "/integrations/crm/openapi");
  const again = await careful.api("DELETE", "/integrations/crm/openapi");
  const { client } = await careful.begin();
  const { tools } = await client.listTools();
  await put(crm);
  await deleteDocumentOf(careful.ctx, await getIntegration(careful.ctx, "crm"));
  const gone = await careful.api("GET", "/integrations/crm/openapi");

  expect([removed.status, again.status, gone.status]).toEqual([204, 404, 404]);
  expect(tools.map(({ name }) => name).filter((name) => name.startsWith("crm__"))).toEqual([]);
});

test("a document is fetched from its address, and what is no document there is refused", async () => {
  const origin = `http://127.0.0.1:${Object(provider.address()).port}`;
  const fetchFrom = async (path: string): Promise<Answer> =>
    await careful.api("PUT", "/integrations/crm/openapi", { url: `${origin}${path}` });

  const made = await fetchFrom("/openapi.json");
  const missing = await fetchFrom("/missing");
  const other = await fetchFrom("/other");
  const both = await careful.api("PUT", "/integrations/crm/openapi", { url: origin, document: "" });

  expect(made.data).toMatchObject({ source_url: `${origin}/openapi.json`, title: "CRM" });
  expect([missing.status, missing.error.code]).toEqual([502, "upstream_unreachable"]);
  expect([other.status, other.error.code]).toEqual([400, "invalid_body"]);
  expect(both.status).toBe(400);
});
