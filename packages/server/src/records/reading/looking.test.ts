import { recordRoutes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConnectionUuid, MINUTE, newTimeId, type RunId } from "#foundation";
import { deployFunctions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newSync,
  newUpload,
} from "#functions/testing";
import { type TestApp, testApp } from "#testing";
import { listRecordModels } from "../models/list-models.ts";
import { records } from "../slice.ts";
import { deleteRecords } from "../writing/delete-records.ts";
import { saveRecords } from "../writing/save-records.ts";

let app: TestApp;
let url: string;
let connection: ConnectionUuid;
let second: ConnectionUuid;

const headers = { "connection-id": "customer-1", "provider-config-key": "crm" };
const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

beforeAll(async () => {
  app = await testApp({ slices: [records] });
  const integration = await insertTestIntegration(app.ctx, "crm");
  connection = (await insertTestConnection(app.ctx, integration, "customer-1")).uuid;
  second = (await insertTestConnection(app.ctx, integration, "customer-2")).uuid;
  const definitions = { Contact: { type: "object" } };
  const sync = newSync("contacts", { models: ["Contact"], models_json_schema: { definitions } });
  await deployFunctions(app.ctx, newUpload({ flowConfigs: [sync] }));
  url = await app.listen();
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function save(model: string, ids: readonly string[], { text = "", of = connection } = {}) {
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text })));
  await saveRecords(app.ctx, { connection: of, model, writer, ids: [...ids], lines });
}

async function get(path: string) {
  const answer = await fetch(`${url}${path}`, { headers });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

async function pagesOf(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  do {
    const { body } = await get(`/records?${query}${cursor}`);
    const page = recordRoutes.listRecords.success.schema.parse(body);
    ids.push(...page.records.map(({ id }) => id));
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  return ids;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));

test("the newest change comes first, page by page to the first", async () => {
  await save("Newest", numbers(25));
  await save("Newest", ["3"], { text: "changed" });

  const expected = [
    "3",
    ...numbers(25)
      .toReversed()
      .filter((id) => id !== "3"),
  ];

  expect(await pagesOf("model=Newest&limit=10&order=desc")).toEqual(expected);
  expect(await pagesOf("model=Newest&order=desc")).toEqual(expected);
});

test("the newest first stops at a time, fits a filter, and names records", async () => {
  await save("Since", numbers(5));
  app.clock.advance(MINUTE);
  const since = encodeURIComponent(app.clock.now().toISOString());
  await save("Since", ["7", "8"]);

  expect(await pagesOf(`model=Since&order=desc&limit=1&modified_after=${since}`)).toEqual([
    "8",
    "7",
  ]);
  expect(await pagesOf("model=Since&order=desc&filter=deleted")).toEqual([]);
  expect(await pagesOf("model=Since&order=desc&ids=1&ids=8")).toEqual(["8", "1"]);
});

test("large records end a page in this order, too", async () => {
  await save("Large", numbers(12), { text: "x".repeat(2_000_000) });

  const first = await get("/records?model=Large&order=desc&limit=100");
  const ids = await pagesOf("model=Large&order=desc&limit=100");

  expect(first.body.records.length).toBeLessThan(12);
  expect(ids).toEqual(numbers(12).toReversed());
});

test("one record is read by its id, also when it is deleted", async () => {
  await save("Contact", ["a/b", "c"], { text: "hello" });
  await deleteRecords(app.ctx, { connection, model: "Contact", writer, ids: ["c"] });

  const found = await get("/records/a%2Fb?model=Contact");
  const deleted = await get("/records/c?model=Contact");
  const missing = await get("/records/nobody?model=Contact");
  const misspelled = await get("/records/c?model=Contct");

  expect(recordRoutes.getRecord.success.schema.parse(found.body).data).toMatchObject({
    id: "a/b",
    text: "hello",
    _svc_metadata: { last_action: "ADDED", cursor: expect.any(String) },
  });
  expect(deleted.body.data._svc_metadata).toMatchObject({ last_action: "DELETED" });
  expect([missing.status, missing.body.error.code]).toEqual([404, "not_found"]);
  expect([misspelled.status, misspelled.body.error.code]).toEqual([400, "invalid_query_params"]);
});

test("models are listed with their counts, newest first, by connection and by name", async () => {
  await save("Invoice", ["1", "2", "3"], { of: second });
  await save("Invoice::eu", ["1"], { of: second });

  const { body } = await get("/records/models?connection_id=customer-2&provider_config_key=crm");
  const named = await get("/records/models?model=Invoice::eu");
  const all: string[] = [];
  let cursor = "";
  do {
    const page = (await get(`/records/models?limit=2${cursor}`)).body;
    all.push(
      ...page.data.map(({ model, variant }: Record<string, string>) => `${model} ${variant}`),
    );
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");

  expect(body.data).toMatchObject([
    { model: "Invoice", variant: "eu", live_count: 1 },
    {
      provider_config_key: "crm",
      connection_id: "customer-2",
      model: "Invoice",
      variant: "base",
      live_count: 3,
      last_modified_at: expect.any(String),
      refused_deletes: null,
    },
  ]);
  expect(body.data[1].largest_record_bytes).toBeGreaterThan(0);
  expect(named.body.data).toHaveLength(1);
  expect(all.slice(0, 2)).toEqual(["Invoice eu", "Invoice base"]);
  expect(new Set(all).size).toBe(all.length);
});

test("another environment has no models of this one", async () => {
  await save("Contact", ["x"]);
  const other = await app.addEnvironment();
  const any = { integrationKey: undefined, connectionId: undefined, limit: 10, cursor: undefined };

  expect((await listRecordModels(other, { ...any, model: undefined })).data).toEqual([]);
  expect((await listRecordModels(other, { ...any, model: "Contact" })).data).toEqual([]);
});

test.each(["order=up", "order=desc&cursor=x"])("400 for ?%s", async (query) => {
  expect((await get(`/records?model=Contact&${query}`)).status).toBe(400);
});

test.each(["connection_id=customer-1", "model=contact", "limit=0", "cursor=x"])(
  "400 for models with ?%s",
  async (query) => {
    expect((await get(`/records/models?${query}`)).status).toBe(400);
  },
);
