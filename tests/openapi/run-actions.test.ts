import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TestPlatform } from "../../packages/cli/src/test.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { startOnClone } from "../launcher/start-on-clone.ts";
import { type DocumentServer, startDocumentServer } from "./document-server.ts";
import { type FileServer, fileDocument, startFileServer } from "./file-server.ts";
import { createProject, type Project } from "./project.ts";
import { realDocuments } from "./real-documents.ts";

// Actions are compiled and deployed first.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const stripe = {
  "get-balance": {},
  "post-customers": {
    name: "Ada",
    metadata: { plan: "pro" },
    address: { city: "Paris" },
    preferred_locales: ["fr", "en"],
  },
  "get-customers": { limit: 2, created: { gte: 1 }, pages: 2 },
  "get-customers-customer": { customer: "cus_1", expand: ["default_source", "sources"] },
  "post-customers-customer": { customer: "cus_1", name: "Ada L" },
  "delete-customers-customer": { customer: "cus/1" },
  "post-products": { name: "Tea", images: ["https://x.example/1.png"] },
  "post-prices": {
    currency: "eur",
    product: "prod_1",
    unit_amount: 100,
    recurring: { interval: "month" },
  },
  "post-subscriptions": {
    customer: "cus_1",
    items: [{ price: "price_1", quantity: 2 }, { price: "price_2" }],
  },
  "get-invoices": { status: "open", created: 17 },
  "post-refunds": { charge: "ch_1", amount: 5, metadata: { reason: "a&b=c" } },
} as const;

const row = { docId: "d", tableIdOrName: "Table 1/2", rowIdOrName: "r" };
const cells = { cells: [{ column: "c", value: "new" }] };
const coda = {
  "list-docs": { isOwner: true, limit: 5 },
  "create-doc": { title: "Plan" },
  "get-doc": { docId: "d" },
  "update-doc": { docId: "d", title: "Plan B" },
  "delete-doc": { docId: "d" },
  "list-tables": { docId: "d", tableTypes: ["table", "view"] },
  "list-rows": { docId: "d", tableIdOrName: "t", query: 'c:"x y"', limit: 2 },
  "upsert-rows": { docId: "d", tableIdOrName: "t", rows: [cells], keyColumns: ["c"] },
  "update-row": { ...row, row: cells, disableParsing: true },
  "delete-rows": { docId: "d", tableIdOrName: "t", rowIds: ["r1", "r2"] },
  "delete-row": row,
} as const;

let platform: TestPlatform;
let project: Project;
let call: Api;
let files: FileServer;
const servers = new Map<string, DocumentServer>();

beforeAll(async () => {
  platform = await startOnClone();
  project = await createProject({
    SVC_SECRET_KEY_DEV: platform.keys.dev,
    SVC_HOSTPORT: platform.url,
  });
  call = apiOf(platform.url, platform.keys.dev);
  const validation = { output: "fail" };
  await must("PATCH", "/environment/settings", { validation });
  await prepare("stripe", realDocuments.stripe, Object.keys(stripe));
  await prepare("coda", realDocuments.coda, Object.keys(coda));
  await prepareFiles();
  const deployed = await project.run("deploy", "dev", "--auto-confirm");
  expect(deployed.code, `${deployed.stdout}${deployed.stderr}`).toBe(0);
});
afterAll(async () => {
  await files[Symbol.asyncDispose]();
  for (const server of servers.values()) await server[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

async function prepare(name: string, path: string, actions: readonly string[]): Promise<void> {
  const server = await startDocumentServer(path);
  servers.set(name, server);
  const { refused } = await project.generate(name, "--openapi", path, "--operation", ...actions);
  expect(refused).toEqual([]);
  await connect(name, server.url);
}

async function prepareFiles(): Promise<void> {
  files = await startFileServer();
  const source = await project.write("files.json", JSON.stringify(fileDocument));
  await project.generate("files", "--openapi", source, "--all");
  await connect("files", files.url);
}

async function connect(name: string, url: string): Promise<void> {
  await must("POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: name,
    integration_config: { base_url: url },
  });
  await must("POST", "/connections", {
    provider_config_key: name,
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: "canary-openapi-token-41" },
  });
}

async function trigger(name: string, action: string, input: unknown) {
  return await call("POST", "/action/trigger", {
    headers: { "provider-config-key": name, "connection-id": "acme" },
    body: { action_name: action, input },
  });
}

async function must(method: string, path: string, body: object): Promise<void> {
  const answer = await call(method, path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

test.each([
  ...Object.entries(stripe).map(([action, input]) => ["stripe", action, input] as const),
  ...Object.entries(coda).map(([action, input]) => ["coda", action, input] as const),
])(
  "%s %s sends what the document asks for, and its answer fits the output",
  async (name, action, input) => {
    const server = servers.get(name);
    const before = server?.requests.length ?? 0;

    const answer = await trigger(name, action, input);

    const sent = server?.requests.slice(before) ?? [];
    expect(answer.status, JSON.stringify([answer.body, sent])).toBe(200);
    expect(sent.length).toBeGreaterThanOrEqual(1);
    expect(sent.flatMap(({ faults }) => faults)).toEqual([]);
  },
);

test("further pages are asked for after the last item, up to as many as were wanted", async () => {
  const server = servers.get("stripe");
  const before = server?.requests.length ?? 0;

  const answer = await trigger("stripe", "get-customers", { limit: 1, pages: 3 });

  // The provider answers each time with the same item, so that the second page says where the list goes in circles.
  expect(server?.requests.slice(before).map((request) => request.call)).toEqual([
    "GET /v1/customers?limit=1",
    "GET /v1/customers?limit=1&starting_after=text",
  ]);
  expect(answer.body.data).toHaveLength(2);
});

test("a part of an address that leads elsewhere is refused before anything is sent", async () => {
  const server = servers.get("stripe");
  const before = server?.requests.length;

  const answer = await trigger("stripe", "delete-customers-customer", { customer: ".." });

  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).toContain("cannot be a part of an address");
  expect(server?.requests.length).toBe(before);
});

test("bytes, text, files in forms and headers alone go there and back", async () => {
  const base64 = Buffer.from([0, 255, 1]).toString("base64");

  const head = await trigger("files", "head-file", { id: "a b" });
  const bytes = await trigger("files", "get-file", { id: "a" });
  const put = await trigger("files", "put-file", { id: "a", body_base64: base64 });
  const upload = await trigger("files", "upload-file", {
    file: base64,
    title: "T",
    tags: ["x", "y"],
  });
  const note = await trigger("files", "note", { body: "hello" });
  const count = await trigger("files", "count", { body: '"' });

  expect(head.body).toMatchObject({ status: 200, headers: { "content-length": "5" } });
  expect(bytes.body).toEqual({ content_type: "application/octet-stream", base64 });
  expect(put.status).toBe(200);
  expect([upload.body, note.body, count.body]).toEqual(["noted", "noted", "noted"]);
  const [headed, , replaced, form, noted, counted] = files.requests;
  expect(headed?.call).toBe("HEAD /files/a%20b");
  expect(replaced).toMatchObject({
    type: "application/octet-stream",
    body: Buffer.from([0, 255, 1]),
  });
  const sent = await new Response(new Uint8Array(form?.body ?? []), {
    headers: { "content-type": form?.type ?? "" },
  }).formData();
  expect([sent.get("title"), ...sent.getAll("tags")]).toEqual(["T", "x", "y"]);
  const file = sent.get("file");
  expect(file instanceof Blob && Buffer.from(await file.arrayBuffer()).toString("base64")).toBe(
    base64,
  );
  expect([noted?.type, noted?.body.toString()]).toEqual(["text/plain", "hello"]);
  expect([counted?.type, counted?.body.toString()]).toEqual(["application/json", '"\\""']);
});
