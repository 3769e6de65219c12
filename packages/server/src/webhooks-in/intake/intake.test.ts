import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, type EnvironmentContext, HOUR } from "#foundation";
import { deleteOldWebhooks } from "../inbox/delete-old-webhooks.ts";
import { type InboxServer, startInboxServer } from "../testing/index.ts";
import { deleteOldRejections } from "./last-received.ts";
import { flushIntake } from "./note-intake.ts";

const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function start(credentials: object = { webhook_secret: "s" }) {
  const ctx = await server.environment();
  await server.integration(ctx, "github", { credentials: { ...client, ...credentials } });
  return ctx;
}

async function push(ctx: EnvironmentContext, signature: "right" | "wrong" | "none", body = "{}") {
  const right = createHmac("sha256", "s").update(body).digest("hex");
  const header = { right: `sha256=${right}`, wrong: "sha256=00", none: undefined }[signature];
  const { status } = await server.send(`/webhook/${ctx.environment.id}/github`, {
    headers: {
      "content-type": "application/json",
      ...(header !== undefined && { "x-hub-signature-256": header }),
    },
    body,
  });
  return status;
}

async function read(ctx: EnvironmentContext, query = "") {
  const headers = { authorization: ctx.environment.name };
  const sent = { method: "GET", headers, query };
  return JSON.parse((await server.send("/webhooks/inbox/integrations", sent)).body);
}

test("refused webhooks are counted by reason, and the last moments are exact", async () => {
  const ctx = await start();
  const before = await read(ctx);
  await push(ctx, "right");
  const verifiedAt = server.app.clock.now().toISOString();
  server.app.clock.advance(HOUR);
  const statuses = [await push(ctx, "wrong"), await push(ctx, "wrong"), await push(ctx, "none")];
  const { data } = await read(ctx, "?provider_config_key=github");
  server.app.clock.advance(25 * HOUR);
  const later = await read(ctx);

  expect(before.data).toEqual([
    {
      provider_config_key: "github",
      last_received_at: null,
      last_verified_at: null,
      rejected: null,
    },
  ]);
  expect(statuses).toEqual([401, 401, 401]);
  expect(data).toMatchObject([
    {
      ...{ last_received_at: verifiedAt, last_verified_at: verifiedAt },
      rejected: {
        ...{ last_reason: "missing_signature", last_24h: 3 },
        reasons: [
          { reason: "invalid_signature", count: 2 },
          { reason: "missing_signature", count: 1 },
        ],
      },
    },
  ]);
  expect(later.data[0].rejected).toMatchObject({ last_24h: 0, reasons: [] });
});

test("webhooks that are stored without a secret to verify them count as such", async () => {
  const ctx = await start({});
  const status = await push(ctx, "right");
  const { data } = await read(ctx);

  expect(status).toBe(200);
  expect(data).toMatchObject([
    { last_verified_at: null, rejected: { last_reason: "no_secret", last_24h: 1 } },
  ]);
  expect(data[0].last_received_at).toBe(data[0].rejected.last_at);
});

test("the last moment stays when the webhook is deleted, also one of the release before", async () => {
  const ctx = await start();
  await push(ctx, "right");
  await flushIntake(ctx);
  const { data: noted } = await read(ctx);
  await sql`delete from webhook_intake where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  const { data: unnoted } = await read(ctx);
  server.app.clock.advance(40 * DAY);
  await deleteOldWebhooks(server.outside);
  const { rows } = await sql`
    select from inbound_webhooks where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  const { data: after } = await read(ctx);

  expect(rows).toEqual([]);
  expect(unnoted[0].last_received_at).toBe(noted[0].last_received_at);
  expect(after[0].last_received_at).toBe(noted[0].last_received_at);
});

test("a flood of refused webhooks is one row for each reason and hour, which goes after two days", async () => {
  const ctx = await start();
  for (let n = 0; n < 50; n += 1) await push(ctx, n % 2 === 0 ? "wrong" : "none");
  await flushIntake(ctx);
  const rowsOf = async () => {
    const { rows } = await sql<{ reason: string; count: string }>`
      select reason, count from webhook_rejections where environment_id = ${ctx.environment.id}
       order by reason`.execute(ctx.db);
    return rows.map(({ reason, count }) => [reason, Number(count)]);
  };
  const during = await rowsOf();
  server.app.clock.advance(3 * DAY);
  await deleteOldRejections(server.outside);

  expect(during).toEqual([
    ["invalid_signature", 25],
    ["missing_signature", 25],
  ]);
  expect(await rowsOf()).toEqual([]);
});

test("another environment sees nothing of it", async () => {
  const [ctx, other] = [await start(), await start()];
  await push(ctx, "wrong");

  expect((await read(other)).data).toMatchObject([{ rejected: null }]);
});
