import { recordRoutes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConnectionUuid, newTimeId, type RunId } from "#foundation";
import { deployFunctions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newSync,
  newUpload,
} from "#functions/testing";
import { type TestApp, testApp } from "#testing";
import { records } from "./slice.ts";
import { saveRecords } from "./writing/save-records.ts";

let app: TestApp;
let url: string;
let connection: ConnectionUuid;

const headers = { "connection-id": "customer-1", "provider-config-key": "crm" };
const inLines = { ...headers, accept: "application/x-ndjson" };
const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

beforeAll(async () => {
  app = await testApp({ slices: [records] });
  const integration = await insertTestIntegration(app.ctx, "crm");
  connection = (await insertTestConnection(app.ctx, integration, "customer-1")).uuid;
  const models = ["Contact", "NotSynced"];
  const definitions = { Contact: { type: "object" }, NotSynced: { type: "object" } };
  const sync = newSync("contacts", { models, models_json_schema: { definitions } });
  await deployFunctions(app.ctx, newUpload({ flowConfigs: [sync] }));
  url = await app.listen();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

async function save(model: string, count: number, text = ""): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => String(index));
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text })));
  await saveRecords(app.ctx, { connection, model, writer, ids, lines });
}

function urlOf(path: string): string {
  return `${url}${path}`;
}

async function getPage(path: string) {
  return recordRoutes.listRecords.success.schema.parse(await (await get(path)).json());
}

async function get(path: string, wanted: Record<string, string> = headers): Promise<Response> {
  return await fetch(urlOf(path), { headers: wanted });
}

test("pages are followed to the end, and each is as the contract says", async () => {
  await save("Page", 25);
  const ids: string[] = [];
  let query = "";
  do {
    const page = await getPage(`/records?model=Page&limit=10${query}`);
    ids.push(...page.records.map(({ id }) => id));
    query = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (query !== "");

  expect(ids).toEqual(Array.from({ length: 25 }, (_, index) => String(index)));
});

test("a model in lines ends with what tells that it is complete, or where to continue", async () => {
  await save("Lines", 5);

  const all = await get("/records?model=Lines", inLines);
  const some = (await (await get("/records?model=Lines&limit=2", inLines)).text()).split("\n");

  expect(all.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  const lines = (await all.text()).trimEnd().split("\n");
  expect(lines).toHaveLength(6);
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ _svc_end: { next_cursor: null } });
  const { cursor } = JSON.parse(some[1] ?? "")._svc_metadata;
  expect(JSON.parse(some[2] ?? "")).toEqual({ _svc_end: { next_cursor: cursor } });
  const empty = await (await get("/records?model=NotSynced", inLines)).text();
  expect(empty).toBe('{"_svc_end":{"next_cursor":null}}\n');
});

test("a reader that stops in the middle of a stream leaves the server well", async () => {
  await save("Large", 20, "x".repeat(1024 * 1024));
  const controller = new AbortController();
  const response = await fetch(urlOf("/records?model=Large"), {
    headers: inLines,
    signal: controller.signal,
  });
  await response.body?.getReader().read();
  controller.abort();

  const whole = await (await get("/records?model=Large", inLines)).text();

  expect(whole.split("\n")).toHaveLength(22);
});

test("a page of large records ends by bytes and says where it continues", async () => {
  await save("Bytes", 20, "y".repeat(1024 * 1024));

  const first = await getPage("/records?model=Bytes&limit=100");
  const rest = await getPage(`/records?model=Bytes&limit=100&cursor=${first.next_cursor}`);

  expect(first.records.length).toBeLessThan(20);
  expect(first.records.length + rest.records.length).toBe(20);
  expect(rest.next_cursor).toBeNull();
});

test("records are pruned up to a cursor", async () => {
  await save("Prune", 3, "t");
  const { records } = await getPage("/records?model=Prune");

  const prune = async (body: object) =>
    await fetch(urlOf("/records/prune"), {
      method: "PATCH",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ model: "Prune", ...body }),
    });
  const cursor = records[1]?._svc_metadata.cursor ?? "";
  const query = new URLSearchParams({ model: "Prune", until_cursor: cursor });

  const all = await get("/records/prune/count?model=Prune", headers);
  const counted = await get(`/records/prune/count?${query}`, headers);
  const answer = await prune({ until_cursor: cursor });
  const unbounded = await prune({});

  expect(await all.json()).toEqual({ count: 3, has_more: false });
  expect(await counted.json()).toEqual({ count: 2, has_more: false });
  expect(await answer.json()).toEqual({ count: 2, has_more: false });
  expect(unbounded.status).toBe(400);
  const after = (await getPage("/records?model=Prune")).records;
  expect(after.map((record) => record["text"])).toEqual([undefined, undefined, "t"]);
});

test.each([
  ["cursor=abc", headers, "invalid_cursor"],
  ["cursor=abc", inLines, "invalid_cursor"],
  [
    "modified_after=2026-01-01T00:00:00Z&delta=2026-01-02T00:00:00Z",
    headers,
    "invalid_query_params",
  ],
])("refuses %s before anything is sent", async (query, wanted, code) => {
  await save("Refused", 1);

  const refused = await get(`/records?model=Refused&${query}`, wanted);

  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code } });
});

test.each([
  ["Contacts", "did you mean `Contact`?"],
  ["Invoice", "its models are `Contact`, `NotSynced`"],
])("a model that no sync saves is refused: %s", async (model, hint) => {
  for (const wanted of [headers, inLines]) {
    const refused = await get(`/records?model=${model}`, wanted);

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: {
        code: "invalid_query_params",
        message: expect.stringContaining(hint),
        errors: [{ path: ["model"] }],
      },
    });
  }
});

test("a model that a sync saves is listed before its first record, one that was saved after its last sync", async () => {
  await save("Removed", 1);

  expect((await getPage("/records?model=NotSynced")).records).toEqual([]);
  expect((await getPage("/records?model=NotSynced&variant=eu")).records).toEqual([]);
  expect((await getPage("/records?model=Removed")).records).toHaveLength(1);
});
