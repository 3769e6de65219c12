import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getConnectionForCall, updateConnection } from "#connections";
import {
  type InboxServer,
  insertConnection,
  listForwards,
  startInboxServer,
} from "./testing/index.ts";

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const json = { "content-type": "application/json" };
const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;

function hex(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

test("an unsigned webhook that names an event's id does not swallow the signed event", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "typeform", {
    credentials: { ...client, webhook_secret: "s" },
    settings: { allow_unsigned_webhooks: true },
  });
  const path = server.pathOf(integration);
  const body = '{"event_id":"e1","event_type":"form_response"}';
  const signature = createHmac("sha256", "s").update(body).digest("base64");
  const headers = { ...json, "typeform-signature": `sha256=${signature}` };

  await server.send(path, { headers: json, body });
  await server.handle();
  await server.send(path, { headers, body });
  await server.send(path, { headers, body });
  await server.handle();

  const forwards = await listForwards(ctx);
  expect(forwards.map((forward) => forward.headers["x-svc-webhook-verified"])).toEqual([
    "none",
    "signature",
  ]);
});

test("a verification token opens no way for unsigned events", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "notion", {
    credentials: { ...client, webhook_secret: "s" },
  });
  const path = server.pathOf(integration);
  const send = async (body: object) =>
    (await server.send(path, { headers: json, body: JSON.stringify(body) })).status;

  expect(await send({ verification_token: "secret_1" })).toBe(200);
  expect(await send({ verification_token: "x", type: "page.created", workspace_id: "w" })).toBe(
    401,
  );
});

test("a connection's secret counts wherever the request names the connection", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "gitlab", { credentials: client });
  await insertConnection(ctx, integration, "customer-1", { metadata: { webhookSecret: "s3" } });
  const path = server.pathOf(integration);
  const body = JSON.stringify({ object_kind: "push", svcConnectionId: "customer-1" });
  const send = async (headers: Record<string, string>) =>
    (await server.send(path, { headers: { ...json, ...headers }, body })).status;

  expect(await send({})).toBe(401);
  expect(await send({ "x-gitlab-token": "other" })).toBe(401);
  expect(await send({ "x-gitlab-token": "s3" })).toBe(200);

  const name = { integrationKey: integration.uniqueKey, connectionId: "customer-1" };
  const found = await getConnectionForCall(ctx, name);
  const kept = { tags: undefined, endUser: undefined, webhookUrlOverride: undefined };
  await updateConnection(ctx, found, { ...kept, webhookSecret: "sealed" });

  // Changed rows are announced.
  await expect.poll(async () => await send({ "x-gitlab-token": "sealed" })).toBe(200);
  expect(await send({ "x-gitlab-token": "s3" })).toBe(401);
});

test("events that GitLab makes while it handles another one are no repetitions", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "gitlab", { credentials: client });
  const path = server.pathOf(integration);
  const send = async (headers: Record<string, string>, kind: string) =>
    await server.send(path, {
      headers: { ...json, "x-gitlab-event-uuid": "u", ...headers },
      body: JSON.stringify({ object_kind: kind }),
    });

  await send({}, "push");
  await send({}, "pipeline");
  await send({ "idempotency-key": "k" }, "note");
  await send({ "idempotency-key": "k" }, "note");
  await server.handle();

  const forwards = await listForwards(ctx);
  const kinds = forwards.map(({ body }) => Object(body["payload"])["object_kind"]);
  expect(kinds).toEqual(["push", "pipeline", "note"]);
});

test("tickets of one webhook without a number are not taken for each other", async () => {
  const ctx = await server.environment();
  const custom = { webhook_secret: "s3" };
  const integration = await server.integration(ctx, "autotask", { custom });
  const path = server.pathOf(integration);
  for (const id of [1, 2]) {
    const body = JSON.stringify({ Guid: "g", EntityType: "Ticket", Id: id });
    const signature = createHmac("sha1", "s3").update(body).digest("base64");
    await server.send(path, {
      headers: { ...json, "x-hook-signature": `sha1=${signature}` },
      body,
    });
  }

  await server.handle();

  expect(await listForwards(ctx)).toHaveLength(2);
});

test("events of one kind that lack what tells them apart are not taken for each other", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "xero", {
    credentials: { ...client, webhook_secret: "s" },
  });
  const event = { tenantId: "t", eventType: "UPDATE", eventDateUtc: "2026-11-22T10:00:00" };
  const body = JSON.stringify({
    events: [
      { ...event, n: 1 },
      { ...event, n: 2 },
      { ...event, resourceId: "r", n: 3 },
      { ...event, resourceId: "r", n: 4 },
    ],
  });
  const signature = createHmac("sha256", "s").update(body).digest("base64");

  await server.send(server.pathOf(integration), {
    headers: { ...json, "x-xero-signature": signature },
    body,
  });
  await server.handle();

  const forwards = await listForwards(ctx);
  expect(forwards.map((forward) => Object(forward.body["payload"])["n"])).toEqual([1, 2, 3]);
});

test("a body is not unpacked again and again for a stranger", async () => {
  const ctx = await server.environment();
  const path = server.pathOf(await server.integration(ctx, "affinity"));
  const pack = (body: Buffer, times: number): Buffer =>
    times === 0 ? body : pack(gzipSync(body), times - 1);
  const send = async (times: number) =>
    await server.send(path, {
      headers: { ...json, "content-encoding": Array(times).fill("gzip").join(", ") },
      body: pack(Buffer.from('{"type":"a"}'), times),
    });

  const answers = [await send(2), await send(3)];

  expect(answers.map(({ status }) => status)).toEqual([200, 400]);
});

test("a secret without bytes proves nothing", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "airtable", {
    credentials: { ...client, webhook_secret: "!!!" },
  });
  const body = '{"webhook":{"id":"w"}}';
  const headers = { ...json, "x-airtable-content-mac": `hmac-sha256=${hex("", body)}` };

  const answer = await server.send(server.pathOf(integration), { headers, body });

  expect(answer.status).toBe(401);
});

test("a request without a body is no broken event", async () => {
  const ctx = await server.environment();
  const pathOf = async (provider: string) =>
    server.pathOf(await server.integration(ctx, provider, { credentials: client }));
  const paths = [await pathOf("slack"), await pathOf("gitlab"), await pathOf("intercom")];

  const heads = await Promise.all(
    paths.map(async (path) => (await server.send(path, { method: "HEAD" })).status),
  );

  expect(heads).toEqual([200, 200, 200]);
});
