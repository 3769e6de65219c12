import { randomUUID } from "node:crypto";
import { webhookDeliveryRoutes } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, SECOND } from "#foundation";
import { MOST_SCANNED } from "#foundation/db";
import { countReads } from "#foundation/testing";
import { webhookDeliveryHandlers as handlers } from "../routes.ts";
import { type OutboxUnderTest, startOutbox } from "../testing/outbox.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };
type Query = Parameters<typeof handlers.listWebhookDeliveries>[1]["query"];

async function list(ctx: EnvironmentContext, query: Query) {
  return await handlers.listWebhookDeliveries(ctx, { ...nothing, query });
}

interface Stored {
  readonly url?: string;
  readonly connection?: string;
  readonly integration?: string;
  readonly error?: string;
}

async function addReceiver({ db, environment }: EnvironmentContext): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into webhook_receivers (id, environment_id, url)
    values (${id}, ${environment.id}, ${`https://example.com/${id}`})`.execute(db);
  return id;
}

/** A delivery that has ended; resolves to its id. */
async function add(ctx: EnvironmentContext, receiver: string, stored: Stored): Promise<string> {
  const { url = "https://example.com/", connection, integration, error } = stored;
  const { rows } = await sql<{ id: string }>`
    insert into webhook_deliveries
      (id, environment_id, receiver_id, type, url, body, state, attempts, created_at, ended_at,
       connection_id, integration_key, last_error)
    values (gen_random_uuid(), ${ctx.environment.id}, ${receiver}, 'sync', ${url}, '\\x00', 'delivered', 1,
      ${ctx.clock.now()}, ${ctx.clock.now()}, ${connection ?? null}, ${integration ?? null}, ${error ?? null})
    returning id`.execute(ctx.db);
  return rows[0]?.id ?? "";
}

test("a search finds a text in address, connection, integration and error, in any case", async () => {
  const ctx = await outbox.environment({});
  const receiver = await addReceiver(ctx);
  const found = [
    await add(ctx, receiver, { url: "https://Needle.example/hook" }),
    await add(ctx, receiver, { connection: "a-needle" }),
    await add(ctx, receiver, { integration: "needle-crm" }),
    await add(ctx, receiver, { error: "no NEEDLE in it" }),
  ];
  await add(ctx, receiver, { connection: "other" });
  const strange = await add(ctx, receiver, { connection: "100%_sure" });

  const { data } = await list(ctx, { search: "neEdle" });
  const narrower = await list(ctx, { search: "needle", connection_id: "a-needle" });
  const sign = await list(ctx, { search: "%_" });
  const none = await list(ctx, { search: "%" + "x" });

  expect(data.map(({ id }) => id).toSorted()).toEqual(found.toSorted());
  expect(narrower.data.map(({ id }) => id)).toEqual([found[1]]);
  expect(sign.data.map(({ id }) => id)).toEqual([strange]);
  expect(none).toEqual({ data: [], next_cursor: null });
});

test("a search for an id finds that webhook of its environment alone, with the other filters", async () => {
  const [ctx, other] = [await outbox.environment({}), await outbox.environment({})];
  const id = await add(ctx, await addReceiver(ctx), { connection: "acme" });
  const search = `msg_${id}`;

  const byId = await list(ctx, { search: id.toUpperCase() });
  const byHeader = await list(ctx, { search });
  const filtered = await list(ctx, { search, connection_id: "else" });
  const failed = await list(ctx, { search, state: "failed" });
  const elsewhere = await list(other, { search });

  expect([byId, byHeader].map(({ data }) => data.map((each) => each.id))).toEqual([[id], [id]]);
  expect([filtered, failed, elsewhere].map(({ data }) => data)).toEqual([[], [], []]);
});

test("a page of a search looks at a bounded number of many webhooks, and an id at its own alone", async () => {
  const ctx = await outbox.environment({});
  const receiver = await addReceiver(ctx);
  const oldest = await add(ctx, receiver, { connection: "needle" });
  outbox.app.clock.advance(SECOND);
  await sql`
    insert into webhook_deliveries
      (id, environment_id, receiver_id, type, url, body, state, attempts, created_at, ended_at)
    select gen_random_uuid(), ${ctx.environment.id}, ${receiver}, 'sync', 'https://example.com/', '\\x00',
           'delivered', 1, ${ctx.clock.now()}, ${ctx.clock.now()}
      from generate_series(1, ${MOST_SCANNED * 2})`.execute(ctx.db);
  const pages: string[][] = [];

  const reads = await countReads(ctx, "webhook_deliveries%", async (ctx) => {
    const { data, next_cursor } = await list(ctx, { search: "needle" });
    expect([data.length, next_cursor === null]).toEqual([0, false]);
  });
  const one = await countReads(ctx, "webhook_deliveries%", async (ctx) => {
    expect((await list(ctx, { search: oldest })).data).toHaveLength(1);
  });
  let cursor: string | undefined;
  do {
    const { data, next_cursor } = await list(ctx, { search: "needle", ...(cursor && { cursor }) });
    pages.push(data.map(({ id }) => id));
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);

  expect(reads).toBeLessThan(2.5 * MOST_SCANNED);
  expect(one).toBeLessThan(20);
  expect(pages.flat()).toEqual([oldest]);
});

test.each(["", "x".repeat(256)])("a search of a bad length is refused", (search) => {
  const parsed = webhookDeliveryRoutes.listWebhookDeliveries.query.safeParse({ search });

  expect(parsed.success).toBe(false);
});
