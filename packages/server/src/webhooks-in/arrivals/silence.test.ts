import { createHmac, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, type EnvironmentContext, HOUR, MINUTE } from "#foundation";
import { type InboxServer, insertConnection, startInboxServer } from "../testing/index.ts";
import { findSilence } from "./find-silence.ts";
import { flushArrivals } from "./note-arrivals.ts";
import { addArrivals } from "./store.ts";
import { deleteConnection, freezeConnection, unhandledOf } from "./testing/store.ts";

const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

interface Push {
  readonly id?: string;
  readonly number?: number;
  readonly isForged?: boolean;
}

async function push(ctx: EnvironmentContext, { id = randomUUID(), number, isForged }: Push = {}) {
  const body = JSON.stringify({ installation: { id: 7 }, number });
  const signature = createHmac("sha256", "secret").update(body).digest("hex");
  await send(ctx, "github", {
    body,
    headers: {
      "x-github-delivery": id,
      ...(isForged !== true && { "x-hub-signature-256": `sha256=${signature}` }),
    },
  });
}

async function send(
  ctx: EnvironmentContext,
  integration: string,
  { body, headers = {} }: { body: string; headers?: Record<string, string> },
) {
  const sent = { headers: { "content-type": "application/json", ...headers }, body };
  const { status } = await server.send(`/webhook/${ctx.environment.id}/${integration}`, sent);
  await server.handle();
  await flushArrivals(ctx);
  return status;
}

async function start(settings = {}, secret: object = { webhook_secret: "secret" }) {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "github", {
    credentials: { ...client, ...secret },
    settings,
  });
  const connection = await insertConnection(ctx, integration, "ada", {
    config: { installation_id: "7" },
  });
  return { ctx, connection };
}

/** A connection for which a webhook came every 8 hours for 16 days, the last one now. */
async function startKnown(settings = {}) {
  const known = await start(settings);
  const now = server.app.clock.now().getTime();
  const { ctx, connection } = known;
  for (let at = now - 16 * DAY; at < now; at += 8 * HOUR) {
    const times = { firstMs: at, lastMs: at };
    const arrival = { connection, environmentId: ctx.environment.id, numbers: [], ...times };
    await addArrivals(ctx.db, [{ ...arrival, received: 1, duplicates: 0 }]);
  }
  await push(ctx);
  await findSilence(server.outside);
  return known;
}

/** Time in which the server looks for silence as it usually does. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 4 * MINUTE) {
    server.app.clock.advance(Math.min(left, 4 * MINUTE));
    await findSilence(server.outside);
  }
}

async function read(ctx: EnvironmentContext, query = "") {
  const headers = { authorization: ctx.environment.name };
  const sent = { method: "GET", headers, query };
  const { body } = await server.send("/webhooks/inbox/connections", sent);
  return JSON.parse(body).data;
}

test("a silence far beyond the rhythm is found, and ends with the next webhook", async () => {
  const { ctx } = await startKnown();
  const [known] = await read(ctx);
  await pass(23 * HOUR);
  const before = await read(ctx, "?silent=true");
  await pass(2 * HOUR);
  const silent = await read(ctx, "?silent=true&provider_config_key=github&connection_id=ada");
  await push(ctx);
  const after = await read(ctx);

  expect(known).toMatchObject({
    ...{ provider_config_key: "github", connection_id: "ada", received: 49, duplicates: 0 },
    ...{ longest_interval_seconds: 28_800, expected_within_seconds: 86_400, silent_since: null },
    sequence: null,
  });
  expect(before).toEqual([]);
  expect(silent).toMatchObject([{ connection_id: "ada", silent_since: expect.any(String) }]);
  expect(after).toMatchObject([{ silent_since: null, expected_within_seconds: 129_600 }]);
});

test("time in which the server was down counts as no silence", async () => {
  const { ctx } = await startKnown();
  server.app.clock.advance(3 * DAY);
  await findSilence(server.outside);
  await pass(23 * HOUR);
  const during = await read(ctx, "?silent=true");
  await pass(2 * HOUR);

  expect(during).toEqual([]);
  expect(await read(ctx, "?silent=true")).toHaveLength(1);
});

test("webhooks that anyone can send neither end a silence nor count", async () => {
  const { ctx } = await startKnown({ allow_unsigned_webhooks: true });
  await pass(23 * HOUR);
  await push(ctx, { isForged: true });
  await pass(2 * HOUR);
  const silent = await read(ctx, "?silent=true");
  await push(ctx, { isForged: true });
  const forged = await read(ctx);
  await push(ctx);

  expect(silent).toMatchObject([{ connection_id: "ada", received: 49 }]);
  expect(forged).toEqual(silent);
  expect(await read(ctx)).toMatchObject([{ received: 50, silent_since: null }]);
});

test("without a secret nothing is learned of a provider that signs, but of one that never does", async () => {
  const { ctx } = await start({}, {});
  const unsigned = await server.integration(ctx, "affinity");
  await insertConnection(ctx, unsigned, "eve");
  await push(ctx, { isForged: true });
  const status = await send(ctx, "affinity", { body: '{"type":"list.created"}' });

  expect(status).toBe(200);
  expect(await read(ctx)).toMatchObject([{ connection_id: "eve", received: 1 }]);
});

test("connections that are deleted or frozen, and those of which little is known, are not silent", async () => {
  const [deleted, frozen, fresh] = [await startKnown(), await startKnown(), await start()];
  await deleteConnection(deleted.ctx.db, deleted.connection);
  await freezeConnection(frozen.ctx.db, frozen.connection);
  for (let n = 0; n < 5; n += 1) {
    await push(fresh.ctx);
    server.app.clock.advance(MINUTE);
  }
  await pass(26 * HOUR);

  for (const { ctx } of [deleted, frozen, fresh]) {
    expect(await read(ctx, "?silent=true")).toEqual([]);
  }
});

test("while webhooks of the integration wait to be handled nothing is called silent", async () => {
  const { ctx } = await startKnown();
  const release = await unhandledOf(ctx.db, ctx.environment.id);
  await pass(26 * HOUR);
  const behind = await read(ctx, "?silent=true");
  await release();
  await pass(10 * MINUTE);

  expect(behind).toEqual([]);
  expect(await read(ctx, "?silent=true")).toHaveLength(1);
});

test("duplicates and numbers that did not come are counted for their connection", async () => {
  const { ctx } = await start({ webhook_sequence: "/number" });
  for (const [id, number] of [
    ["a", 1],
    ["b", 2],
    ["b", 2],
    ["c", 6],
    ["d", 5],
  ] as const) {
    await push(ctx, { id, number });
  }

  expect(await read(ctx)).toMatchObject([
    {
      ...{ received: 5, duplicates: 1 },
      sequence: { highest: 6, missing: 2, ranges: [{ first: 3, last: 4 }], repeated: 0 },
    },
  ]);
});

test("a provider whose entry names its sequence needs no setting for it", async () => {
  const ctx = await server.environment();
  const entry = {
    ...{ id: "ledger", display_name: "Ledger", categories: ["other"] },
    ...{ auth_mode: "NONE", base_url: "https://api.ledger.example" },
    connection_config: { account: { title: "Account" } },
    webhooks: {
      hmac: {
        ...{ header: "x-signature", event_id: "number" },
        match: [{ value: "account", property: "config.account" }],
      },
      sequence: "/number",
    },
  };
  await sql`
    insert into custom_providers (environment_id, slug, version, replaces_built_in, entry, created_at, updated_at)
    values (${ctx.environment.id}, ${entry.id}, 1, false, ${JSON.stringify(entry)}, now(), now())
  `.execute(ctx.db);
  const integration = await server.integration(ctx, "ledger", {
    custom: { webhook_secret: "secret" },
  });
  await insertConnection(ctx, integration, "ada", { config: { account: "g" } });
  for (const number of [7, 8, 8, 11]) {
    const body = JSON.stringify({ account: "g", number });
    const signature = createHmac("sha256", "secret").update(body).digest("hex");
    await send(ctx, "ledger", { body, headers: { "x-signature": signature } });
  }

  expect(await read(ctx)).toMatchObject([
    {
      ...{ received: 4, duplicates: 1 },
      sequence: { highest: 11, missing: 2, ranges: [{ first: 9, last: 10 }], repeated: 0 },
    },
  ]);
});
