import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  newRandomId,
  newTimeId,
  type RunId,
} from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { listRecords } from "./reading/list-records.ts";
import { asPage, presentRecords } from "./reading/present-records.ts";
import { saveRecords } from "./writing/save-records.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;

beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  connection = newRandomId<ConnectionUuid>();
});

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

async function save(lines: Readonly<Record<string, string>>): Promise<void> {
  const texts = Object.values(lines).map((line) => Buffer.from(line));
  const place = { connection, model: "Contact", writer };
  await saveRecords(ctx, { ...place, ids: Object.keys(lines), lines: texts });
}

interface Listed {
  readonly id: string;
  readonly name?: string;
  readonly _svc_metadata: object;
}

async function list(): Promise<Listed[]> {
  const listing = {
    ...{ connection, model: "Contact", limit: 100, maxBytes: 16 * 1024 * 1024 },
    ...{ cursor: undefined, modifiedAfter: undefined, filter: undefined, ids: undefined },
  };
  const parts: Buffer[] = [];
  for await (const part of presentRecords(listRecords(ctx, listing), asPage)) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString()).records;
}

test.each([
  ["cut off", '{"id":"2","name":"'],
  ["two objects", '{"id":"2"},{"id":"3"}'],
  ["a list", '["2"]'],
])("a stored record that is %s does not break the page", async (_, line) => {
  await save({ 1: '{"id":"1","name":"a"}', 2: line, 3: '{"id":"3","name":"c"}' });

  const records = await list();

  expect(records).toMatchObject([
    { id: "1", name: "a" },
    { id: "2", _svc_metadata: { damaged: true } },
    { id: "3", name: "c" },
  ]);
  expect(Object.keys(records[1] ?? {})).toEqual(["id", "_svc_metadata"]);
  expect(records[0]?._svc_metadata).not.toHaveProperty("damaged");
});

test.each([
  ["a few records", 3],
  ["as many as a thread decrypts", 100],
])("of %s, one whose sealed bytes were altered does not break the page", async (_, size) => {
  const ids = Array.from({ length: size }, (__, n) => String(1000 + n));
  await save(Object.fromEntries(ids.map((id) => [id, JSON.stringify({ id, name: id })])));
  await sql`
    update records
       set payload = set_byte(payload, length(payload) - 1, get_byte(payload, length(payload) - 1) # 1)
     where record_id = '1001'
       and model_id = (select id from record_models where connection_uuid = ${connection})`.execute(
    ctx.db,
  );

  const records = await list();

  const damaged = records.filter(({ _svc_metadata }) => "damaged" in _svc_metadata);
  expect(records.map(({ id }) => id)).toEqual(ids);
  expect(damaged.map(({ id }) => id)).toEqual(["1001"]);
  expect(records.at(-1)).toMatchObject({ name: ids.at(-1) });
});
