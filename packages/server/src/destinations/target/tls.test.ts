import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { tlsCertificates } from "#foundation/egress/testing";
import { createEmptyDatabase } from "#foundation/testing";
import { type TestApp, testApp } from "#testing";
import { destinations } from "../index.ts";
import { type BucketEnvironment, bucketEnvironment } from "../testing/bucket-destinations.ts";
import { startDatabaseRelay } from "../testing/database-relay.ts";
import { startTlsRelay } from "../testing/tls-relay.ts";

let app: TestApp;
let own: BucketEnvironment;
let customer: Awaited<ReturnType<typeof createEmptyDatabase>>;

const { authority, server, expired } = tlsCertificates;

beforeAll(async () => {
  app = await testApp({
    slices: [destinations],
    caller: async ({ signal }) => ({ ...own.ctx, signal }),
  });
  customer = await createEmptyDatabase();
});
afterAll(async () => {
  await customer[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await app.database.pool.query("delete from record_destinations");
  own = await bucketEnvironment(app);
});

/** What comes of a destination whose database shows this certificate. */
async function deliverTo(
  certificate: { cert: string; key: string },
  {
    host = "127.0.0.1",
    mode,
    ca,
  }: { host?: string | undefined; mode?: string | undefined; ca?: string | undefined },
) {
  await using relay = await startTlsRelay(customer.connectionString, certificate);
  const { username, password, pathname } = new URL(customer.connectionString);
  const query = mode === undefined ? "" : `?sslmode=${mode}`;
  const created = await own.call("POST", "", {
    ...{ name: "w", type: "postgres", table: `tls_${Date.now()}` },
    url: `postgres://${username || "postgres"}:${password}@${host}:${relay.port}${pathname}${query}`,
    ...(ca === undefined ? {} : { ca_certificate: ca }),
  });
  await own.save("Contact", ["1"]);
  app.clock.advance(10 * MINUTE);
  await own.deliverOnce();
  const { data } = (await own.call("GET", `/${created.body.data.id}`)).body;
  return { delivered: data.delivered, error: data.last_error?.code, received: relay.received };
}

test.each([
  ["the given authority", server, { ca: authority }],
  [
    "the given authority, of another host where only the authority counts",
    server,
    { ca: authority, host: "localhost", mode: "verify-ca" },
  ],
  ["any certificate where that is asked for", expired, { mode: "require" }],
])("changes are delivered by TLS with %s", async (_name, certificate, options) => {
  expect(await deliverTo(certificate, options)).toMatchObject({ delivered: 1, error: undefined });
});

test.each([
  ["an unknown authority", server, {}],
  ["an unknown authority, the host aside", server, { mode: "verify-ca" }],
  ["another host", server, { ca: authority, host: "localhost" }],
  ["a time that is over", expired, { ca: authority }],
])(
  "a certificate of %s is refused before anything is sent",
  async (_name, certificate, options) => {
    expect(await deliverTo(certificate, options)).toEqual({
      ...{ delivered: 0, error: "upstream_tls_error", received: 0 },
    });
  },
);

test("a database without TLS gets nothing unless the URL says so", async () => {
  await using relay = await startDatabaseRelay(customer.connectionString);
  const url = new URL(relay.url);
  url.search = "";
  const body = { name: "w", type: "postgres", table: "plain", url: url.href };
  const created = await own.call("POST", "", body);
  app.clock.advance(10 * MINUTE);
  await own.deliverOnce();
  const { data } = (await own.call("GET", `/${created.body.data.id}`)).body;

  expect(data).toMatchObject({
    state: "failing",
    last_error: { code: "protocol_error", message: expect.stringContaining("SSL") },
  });
});
