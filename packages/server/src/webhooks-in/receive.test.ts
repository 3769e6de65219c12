import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { emailAddressHash } from "./receive/email-address-hash.ts";
import {
  deleteEnvironment,
  type InboxServer,
  insertConnection,
  listForwards,
  listWebhookRuns,
  startInboxServer,
  subscribe,
} from "./testing/index.ts";

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const json = { "content-type": "application/json" };

test("a webhook is stored before it is answered, and forwarded with the connection that it is about", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "autotask", {
    custom: { webhook_secret: "s3" },
  });
  await insertConnection(ctx, integration, "customer-1", { config: { webhookGuid: "g-1" } });
  const body = JSON.stringify({
    Action: "Update",
    Guid: "g-1",
    EntityType: "Ticket",
    Id: 7,
    SequenceNumber: 3,
  });
  const signature = `sha1=${createHmac("sha1", "s3").update(body).digest("base64")}`;
  const headers = { ...json, "x-hook-signature": signature, "user-agent": "vendor" };

  const answer = await server.send(server.pathOf(integration), { headers, body });
  await server.handle();

  expect(answer).toMatchObject({ status: 200, body: '{"status":"success"}' });
  expect(await listForwards(ctx)).toEqual([
    {
      body: {
        from: "autotask",
        type: "forward",
        providerConfigKey: "autotask",
        connectionId: "customer-1",
        payload: JSON.parse(body),
      },
      headers: {
        "x-hook-signature": signature,
        "x-svc-webhook-id": expect.any(String),
        "x-svc-webhook-verified": "signature",
      },
    },
  ]);
});

test("what nobody matches is forwarded without connectionId", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "google-mail", { credentials: client });
  const data = Buffer.from('{"emailAddress":"a@b.c","historyId":5}').toString("base64");
  const body = JSON.stringify({ message: { data, messageId: "1" } });

  const answer = await server.send(server.pathOf(integration), { headers: json, body });
  await server.handle();

  expect(answer.status).toBe(200);
  const [forward, ...others] = await listForwards(ctx);
  expect(forward?.body).toEqual({
    from: "google-mail",
    type: "forward",
    providerConfigKey: "google-mail",
    payload: JSON.parse(body),
  });
  expect(forward?.headers["x-svc-webhook-verified"]).toBe("none");
  expect(others).toEqual([]);
});

const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;

test("a mail push finds its mailbox by hash, then by metadata", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "google-mail", { credentials: client });
  await insertConnection(ctx, integration, "by-email", { metadata: { email: "a@b.c" } });
  await insertConnection(ctx, integration, "by-address", { metadata: { emailAddress: "a@b.c" } });
  const push = async (address: string) => {
    const data = Buffer.from(JSON.stringify({ emailAddress: address, historyId: 1 })).toString(
      "base64",
    );
    const body = JSON.stringify({ message: { data, messageId: randomUUID() } });
    await server.send(server.pathOf(integration), { headers: json, body });
    await server.handle();
    return (await listForwards(ctx)).at(-1)?.body["connectionId"];
  };

  const second = await push("a@b.c");
  await insertConnection(ctx, integration, "by-hash", {
    config: { emailAddressHash: emailAddressHash("A@b.c ") },
  });
  const first = await push("a@b.c");

  expect([second, first]).toEqual(["by-address", "by-hash"]);
});

test("the same identifiers in two environments never meet", async () => {
  const [ctx, other] = [await server.environment(), await server.environment()];
  const custom = { webhook_secret: "s3" };
  const here = await server.integration(ctx, "autotask", { custom });
  const there = await server.integration(other, "autotask", { custom: { webhook_secret: "s4" } });
  await insertConnection(ctx, here, "mine", { config: { webhookGuid: "g" } });
  await insertConnection(other, there, "theirs", { config: { webhookGuid: "g" } });
  const body = JSON.stringify({ Guid: "g", EntityType: "Ticket", SequenceNumber: 1 });
  const headers = { ...json, "x-hook-signature": hookSignature("s3", body) };

  const mine = await server.send(server.pathOf(here), { headers, body });
  const theirs = await server.send(server.pathOf(there), { headers, body });
  const nobodys = await server.send(`/webhook/${randomUUID()}/autotask`, { headers, body });
  const unknown = await server.send(`/webhook/${here.environmentId}/other`, { headers, body });
  await server.handle();

  expect([mine.status, theirs.status, nobodys.status, unknown.status]).toEqual([
    200, 401, 404, 404,
  ]);
  expect((await listForwards(ctx)).map(({ body: sent }) => sent["connectionId"])).toEqual(["mine"]);
  expect(await listForwards(other)).toEqual([]);
});

function hookSignature(secret: string, body: string): string {
  return `sha1=${createHmac("sha1", secret).update(body).digest("base64")}`;
}

test("each connection that lists a calendar gets a forward of its own, of headers alone", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "google-calendar", { credentials: client });
  const uri = "https://www.googleapis.com/calendar/v3/calendars/ana%40b.c/events?alt=json";
  await insertConnection(ctx, integration, "one", {
    metadata: { calendarWatchResourceUris: [uri, "x"] },
  });
  await insertConnection(ctx, integration, "two", { metadata: { calendarWatchResourceUris: uri } });
  await insertConnection(ctx, integration, "by-hash", {
    config: { emailAddressHash: emailAddressHash("ana@b.c") },
  });
  const notify = async (number: number, resource: string) =>
    await server.send(server.pathOf(integration), {
      headers: {
        "x-goog-channel-id": "channel",
        "x-goog-message-number": String(number),
        "x-goog-resource-state": "exists",
        "x-goog-resource-uri": resource,
      },
    });

  const answer = await notify(2, uri);
  await notify(3, uri.replace("alt=json", "alt=other"));
  await server.handle();

  expect(answer.status).toBe(200);
  const forwards = await listForwards(ctx);
  expect(forwards.map(({ body }) => body["connectionId"])).toEqual(["one", "two", "by-hash"]);
  expect(forwards[0]?.body["payload"]).toMatchObject({ "x-goog-resource-uri": uri });
});

test("an event that comes again is kept and passed on once", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "stripe", { credentials: client });
  const send = async (id: string) =>
    await server.send(server.pathOf(integration), {
      headers: json,
      body: JSON.stringify({ id, type: "charge.succeeded" }),
    });

  const answers = [await send("evt_1"), await send("evt_1")];
  await server.handle();
  answers.push(await send("evt_1"), await send("evt_2"));
  await server.handle();

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await listForwards(ctx)).map(({ body }) => body["payload"])).toEqual([
    { id: "evt_1", type: "charge.succeeded" },
    { id: "evt_2", type: "charge.succeeded" },
  ]);
  const listed = await read(ctx, "/webhooks/inbox");
  const states = listed.data.map(({ state }: { state: string }) => state);
  expect(states.toSorted()).toEqual(["duplicate", "duplicate", "handled", "handled"]);
});

async function read(ctx: EnvironmentContext, path: string) {
  const headers = { authorization: ctx.environment.name };
  const answer = await server.send(path, { method: "GET", headers });
  return JSON.parse(answer.body);
}

test("nothing is forwarded where the integration says so, and the inbox still has it", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "affinity", { forwardWebhooks: false });
  await server.send(server.pathOf(integration), { headers: json, body: '{"type":"list.created"}' });

  await server.handle();

  expect(await listForwards(ctx)).toEqual([]);
  const { data } = await read(ctx, "/webhooks/inbox?state=handled&provider_config_key=affinity");
  expect(data).toMatchObject([
    { verified: "none", types: ["list.created"], size: 23, attempts: 1 },
  ]);
  expect((await read(ctx, "/webhooks/inbox?type=list.created")).data).toEqual(data);
  expect((await read(ctx, "/webhooks/inbox?type=list.deleted")).data).toEqual([]);
});

test("the inbox shows the request as it came, and its very bytes to its own environment alone", async () => {
  const [ctx, other] = [await server.environment(), await server.environment()];
  const integration = await server.integration(ctx, "affinity", {
    settings: { forward_raw: true },
  });
  const body = Buffer.from([0xff, 0x00, 0x7b, 0xfe]);
  const headers = {
    ...json,
    cookie: "a=b",
    "webhook-id": "m1",
    "x-svc-webhook-verified": "forged",
  };
  await server.send(server.pathOf(integration), { headers, body: `{"type":"a"}` });
  const plain = await server.integration(ctx, "dropbox", { credentials: client });
  await server.send(server.pathOf(plain), { headers, body });
  await server.handle();

  const { data } = await read(ctx, "/webhooks/inbox?provider_config_key=dropbox");
  const path = `/webhooks/inbox/${data[0].id}`;
  const one = await read(ctx, path);
  const authorization = ctx.environment.name;
  const bytes = await server.send(`${path}/body`, { method: "GET", headers: { authorization } });
  const strangers = { authorization: other.environment.name };
  const foreign = await server.send(path, { method: "GET", headers: strangers });

  expect(one.data).toMatchObject({ method: "POST", headers: { "webhook-id": "m1" } });
  expect(one.data.headers).not.toHaveProperty("cookie");
  expect(bytes.bytes).toEqual(body);
  expect(foreign.status).toBe(404);
  const forwards = await listForwards(ctx);
  const forward = forwards.find((each) => each.body["providerConfigKey"] === "affinity");
  expect(forward?.body["raw"]).toBe(Buffer.from('{"type":"a"}').toString("base64"));
  expect(forward?.headers).toMatchObject({
    "x-provider-webhook-id": "m1",
    "x-svc-webhook-verified": "none",
  });
});

test("a secret makes signatures needed, unless the integration takes unsigned webhooks too", async () => {
  const ctx = await server.environment();
  const strict = await server.integration(ctx, "typeform", {
    credentials: { ...client, webhook_secret: "s" },
  });
  const lenient = await server.integration(ctx, "typeform", {
    uniqueKey: "lenient",
    credentials: { ...client, webhook_secret: "s" },
    settings: { allow_unsigned_webhooks: true },
  });
  const sent = { headers: json, body: '{"event_type":"form_response"}' };

  const refused = await server.send(server.pathOf(strict), sent);
  const taken = await server.send(server.pathOf(lenient), sent);
  const forged = await server.send(server.pathOf(lenient), {
    ...sent,
    headers: { ...json, "typeform-signature": "sha256=x" },
  });

  expect([refused, taken, forged].map(({ status }) => status)).toEqual([401, 200, 401]);
  expect(JSON.parse(refused.body).error.code).toBe("webhook_missing_signature");
});

test("above its limit an integration is answered 429 with the time to wait, another is not", async () => {
  const ctx = await server.environment();
  const limited = await server.integration(ctx, "affinity", {
    settings: { webhook_limit_per_min: 3 },
  });
  const free = await server.integration(ctx, "affinity", { uniqueKey: "free" });
  const send = async (path: string) =>
    await server.send(path, { headers: json, body: '{"type":"a"}' });

  const answers = [];
  for (let count = 0; count < 5; count += 1) answers.push(await send(server.pathOf(limited)));
  const other = await send(server.pathOf(free));
  server.app.clock.advance(60_000);
  const later = await send(server.pathOf(limited));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(Number(answers[4]?.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect([other.status, later.status]).toEqual([200, 200]);
});

test("a sync that subscribes to the type is given the event once for each connection", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "stripe", { credentials: client });
  const uuid = await insertConnection(ctx, integration, "customer-1", {
    config: { stripe_user_id: "acct_1" },
  });
  await insertConnection(ctx, integration, "customer-2");
  await subscribe(ctx, integration, ["charge.succeeded"]);
  const send = async (id: string, type: string, account: string) =>
    await server.send(server.pathOf(integration), {
      headers: json,
      body: JSON.stringify({ id, type, account }),
    });

  await send("evt_1", "charge.succeeded", "acct_1");
  await send("evt_2", "charge.failed", "acct_1");
  await send("evt_3", "charge.succeeded", "acct_2");
  await send("evt_1", "charge.succeeded", "acct_1");
  await server.handle();

  expect(await listWebhookRuns(ctx)).toEqual([
    { connectionUuid: uuid, input: { id: "evt_1", type: "charge.succeeded", account: "acct_1" } },
  ]);
});

test("what a deleted environment has received holds up nobody", async () => {
  const [ctx, other] = [await server.environment(), await server.environment()];
  const gone = await server.integration(ctx, "affinity");
  const stays = await server.integration(other, "affinity");
  const sent = { headers: json, body: '{"type":"a"}' };
  await server.send(server.pathOf(gone), sent);
  await deleteEnvironment(ctx);
  await server.send(server.pathOf(stays), sent);

  await server.handle();

  expect(await listForwards(other)).toHaveLength(1);
  expect(await listForwards(ctx)).toEqual([]);
});
