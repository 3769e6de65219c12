import { type Table, tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SECOND } from "#foundation";
import { tlsCertificates } from "#foundation/egress/testing";
import { clearRecords, renewFeeds } from "#records";
import { type TestApp, testApp } from "#testing";
import { destinations } from "../index.ts";
import {
  type BucketEnvironment,
  bucketEnvironment,
  linesOf,
  stateOfLines,
} from "../testing/bucket-destinations.ts";
import { bucketKeys, startTestBucket, type TestBucket } from "../testing/test-bucket.ts";

let app: TestApp;
let own: BucketEnvironment;
let bucket: TestBucket;

beforeAll(async () => {
  app = await testApp({
    slices: [destinations],
    caller: async ({ signal }) => ({ ...own.ctx, signal }),
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  await app.database.pool.query("delete from record_destinations");
  own = await bucketEnvironment(app);
  bucket = await startTestBucket();
  return async () => await bucket[Symbol.asyncDispose]();
});

function tableOf(body: Buffer): Table {
  return tableFromIPC(readParquet(body).intoIPCStream());
}

test("changes arrive as lines of JSON: what is added, changed, deleted and removed, by model and in order", async () => {
  const id = await own.create(bucket);
  await own.save("Contact", ["1", "2", "3"], "first");
  await own.save("Deal", ["1"]);
  await own.deliverWhenDue();
  const first = linesOf(bucket);
  await own.save("Contact", ["2"], "second");
  await own.remove("Contact", ["3"]);
  await clearRecords(own.ctx, { connection: own.connection, models: ["Deal"] });
  await own.deliverWhenDue();

  const { data } = (await own.call("GET", `/${id}`)).body;
  expect(first.map(({ model, id }) => `${model} ${id}`)).toEqual([
    "Contact 1",
    "Contact 2",
    "Contact 3",
    "Deal 1",
  ]);
  expect(first[0]).toMatchObject({
    integration: "crm",
    connection_id: "customer-1",
    variant: "base",
  });
  expect(first[0]?.["changed_at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect([...stateOfLines(linesOf(bucket)).values()]).toEqual(["first", "second", "deleted"]);
  expect(linesOf(bucket).at(-1)).toMatchObject({ type: "removed", model: "Deal" });
  expect(data).toMatchObject({ state: "active", delivered: 7, lag_seconds: 0, last_error: null });
  expect(bucket.puts[0]).toBe(`${data.folder}/_jackfield.json`);
  expect(new Set(bucket.puts.slice(1).map((name) => name.split("/")[2]))).toEqual(
    new Set(["Contact", "Deal"]),
  );
});

test("the same changes arrive as Parquet, which another library reads", async () => {
  await own.create(bucket, { name: "lines", prefix: "lines" });
  await own.create(bucket, { name: "columns", prefix: "columns", format: "parquet" });
  await own.save("Contact", ["1", "2"], 'a "text" — ☃');
  await own.remove("Contact", ["2"]);
  await own.deliverWhenDue();
  await own.deliverWhenDue();

  const [name, body] = [...bucket.objects].find(([name]) => name.endsWith(".parquet")) ?? [];
  const table = tableOf(body ?? Buffer.of());
  const rows = table.toArray().map((row) => row.toJSON());
  const lines = linesOf(bucket);
  expect(name).toMatch(
    /^columns\/\d{13}\/Contact\/[0-9a-z]{11}-[0-9a-z]{11}_[0-9a-z]{11}-[0-9a-z]{11}\.parquet$/,
  );
  expect(rows).toHaveLength(2);
  expect(String(table.schema.fields.find(({ name }) => name === "changed_at")?.type)).toMatch(
    /Timestamp<MICROSECOND, \+?(UTC|00:00)>/,
  );
  expect(
    rows.map(({ type, id, model, position, sequence }) => ({
      ...{ type, id, model },
      ...{ position: Number(position), sequence: Number(sequence) },
    })),
  ).toEqual(
    lines.map(({ type, id, model, position, sequence }) => ({
      type,
      id,
      model,
      position,
      sequence,
    })),
  );
  expect(rows.map(({ data }) => JSON.parse(data))).toEqual(lines.map(({ data }) => data));
  expect(rows.map(({ deleted_at: at }) => at === null)).toEqual([true, false]);
  expect(Math.trunc(Number(rows[0]?.["changed_at"]))).toBe(
    Date.parse(String(lines[0]?.["changed_at"])),
  );
});

test("keys that the bucket refuses are shown as an error without them, and others continue", async () => {
  const id = await own.create(bucket, { secret_access_key: "another-secret-of-nobody" });
  await own.save("Contact", ["1"]);
  await own.deliverWhenDue();
  const failed = await own.call("GET", `/${id}`);
  const half = await own.call("PATCH", `/${id}`, { secret_access_key: "x" });
  const odd = await own.call("PATCH", `/${id}`, { url: "postgres://u:p@db.example.com/app" });
  const changed = await own.call("PATCH", `/${id}`, {
    access_key_id: bucketKeys.accessKeyId,
    secret_access_key: bucketKeys.secretAccessKey,
  });
  await own.deliverWhenDue();

  expect(failed.body.data).toMatchObject({
    state: "failing",
    last_error: { code: "SignatureDoesNotMatch", message: expect.stringContaining("403") },
  });
  expect([half.status, odd.status]).toEqual([400, 400]);
  expect(failed.text + changed.text).not.toMatch(/another-secret|a-secret|AKID/);
  expect(linesOf(bucket)).toHaveLength(1);
});

test("a redirect is not followed, and a silent or odd answer is a failure that is repeated", async () => {
  const id = await own.create(bucket);
  await own.save("Contact", ["1"]);
  const errors: unknown[] = [];
  for (const answer of [
    { status: 307, location: "http://169.254.169.254/" },
    { status: 200, location: "" },
    { status: 503, location: "" },
  ]) {
    bucket.answer = (_request, response) => {
      if (answer.status === 200) return void response.destroy();
      response.writeHead(answer.status, { location: answer.location }).end("<Code>");
    };
    await own.deliverWhenDue();
    errors.push((await own.call("GET", `/${id}`)).body.data.last_error.code);
  }
  bucket.answer = undefined;
  await own.deliverWhenDue();

  expect(errors).toEqual(["http_307", "upstream_unreachable", "http_503"]);
  expect(linesOf(bucket)).toHaveLength(1);
  expect((await own.call("GET", `/${id}`)).body.data).toMatchObject({
    state: "active",
    failures: 0,
  });
});

test.each([
  ["http://10.0.0.1"],
  ["https://169.254.169.254"],
  ["https://[::ffff:10.0.0.1]:9000"],
  ["https://user:password@minio.example.com"],
  ["https://minio.example.com/path"],
  ["ftp://minio.example.com"],
])("an endpoint %s is refused", async (endpoint) => {
  const { status } = await own.call("POST", "", {
    ...{ name: "lake", type: "s3", endpoint, region: "eu-central-1", bucket: "records" },
    ...{ format: "ndjson", access_key_id: "a", secret_access_key: "b" },
  });

  expect(status).toBe(400);
});

test("TLS is verified: an own authority is trusted when it is given, for its hosts only", async () => {
  await using secure = await startTestBucket(tlsCertificates.server);
  await using expired = await startTestBucket(tlsCertificates.expired);
  const ca = { ca_certificate: tlsCertificates.authority };
  const ids = [
    await own.create(secure, { ...ca, name: "trusted", prefix: "trusted" }),
    await own.create(secure, { name: "unknown authority" }),
    await own.create(
      { endpoint: secure.endpoint.replace("127.0.0.1", "localhost") },
      { ...ca, name: "other host" },
    ),
    await own.create(expired, { ...ca, name: "expired" }),
  ];
  for (const _ of ids) await own.deliverWhenDue();
  const states = await Promise.all(
    ids.map(async (id) => (await own.call("GET", `/${id}`)).body.data),
  );

  expect(states.map(({ last_error: error }) => error?.code)).toEqual([
    undefined,
    ...["upstream_tls_error", "upstream_tls_error", "upstream_tls_error"],
  ]);
  expect([...secure.objects.keys()].every((name) => name.startsWith("trusted/"))).toBe(true);
});

test("a restart, another filter and a restored copy deliver all again to another folder", async () => {
  const id = await own.create(bucket);
  const folders = new Set<string>();
  const note = async () => folders.add((await own.call("GET", `/${id}`)).body.data.folder);
  await own.save("Contact", ["1"]);
  await own.deliverWhenDue();
  await note();
  await own.call("POST", `/${id}/restart`);
  await own.deliverWhenDue();
  await note();
  await own.call("PATCH", `/${id}`, { models: ["Contact"] });
  await own.deliverWhenDue();
  await note();
  await renewFeeds(app.ctx.db);
  await own.deliverWhenDue();
  app.clock.advance(SECOND);
  await own.deliverWhenDue();
  await note();

  expect(folders.size).toBe(4);
  for (const folder of folders) {
    expect(
      [...bucket.objects.keys()].filter((name) => name.startsWith(`${folder}/Contact/`)),
    ).toHaveLength(1);
  }
});
