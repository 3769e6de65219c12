import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type InboxServer,
  insertConnection,
  listForwards,
  readMetadata,
  startInboxServer,
} from "./testing/index.ts";

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;
const json = { "content-type": "application/json" };

test("what providers ask when a webhook is set up is answered as they want it", async () => {
  const ctx = await server.environment();
  const credentials = { ...client, webhook_secret: "s" };
  const pathOf = async (provider: string) =>
    server.pathOf(await server.integration(ctx, provider, { credentials }));
  const [slack, microsoft, zoom, intercom] = [
    await pathOf("slack"),
    await pathOf("microsoft"),
    await pathOf("zoom"),
    await pathOf("intercom"),
  ];
  const question = { event: "endpoint.url_validation", payload: { plainToken: "p" } };
  const body = JSON.stringify(question);
  const time = String(Math.floor(ctx.clock.now().getTime() / 1000));
  const signature = createHmac("sha256", "s").update(`v0:${time}:${body}`).digest("hex");
  const signed = { "x-zm-request-timestamp": time, "x-zm-signature": `v0=${signature}` };

  const challenge = await server.send(slack, {
    headers: json,
    body: '{"type":"url_verification","challenge":"c1"}',
  });
  const validation = await server.send(microsoft, { query: "?validationToken=a%20b%3Cc" });
  const answered = await server.send(zoom, { headers: { ...json, ...signed }, body });
  const forged = await server.send(zoom, {
    headers: { ...json, "x-zm-request-timestamp": time, "x-zm-signature": "v0=0" },
    body,
  });
  const head = await server.send(intercom, { method: "HEAD" });
  const empty = await server.send(intercom, {});

  expect(challenge).toMatchObject({ status: 200, body: "c1" });
  expect(validation).toMatchObject({ status: 200, body: "a b<c" });
  expect(validation.headers).toMatchObject({
    "content-type": expect.stringMatching(/^text\/plain/),
    "x-content-type-options": "nosniff",
  });
  expect(JSON.parse(answered.body)).toEqual({
    plainToken: "p",
    encryptedToken: createHmac("sha256", "s").update("p").digest("hex"),
  });
  expect([forged.status, head.status, empty.status]).toEqual([401, 200, 401]);
  await server.handle();
  expect(await listForwards(ctx)).toEqual([]);
});

test("a secret that a handshake brings is kept with its connection, and no other takes its place", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "asana", { credentials: client });
  await insertConnection(ctx, integration, "customer-1");
  const path = server.pathOf(integration);
  const query = "?svcConnectionId=customer-1";
  const greet = async (secret: string) =>
    await server.send(path, { query, headers: { "x-hook-secret": secret } });
  const body = JSON.stringify({
    events: [{ action: "added", resource: { resource_type: "task" } }],
  });
  const tell = async (secret: string) =>
    await server.send(path, {
      query,
      headers: {
        ...json,
        "x-hook-signature": createHmac("sha256", secret).update(body).digest("hex"),
      },
      body,
    });

  const greeting = await greet("first");
  await greet("second");
  const [genuine, forged] = [await tell("first"), await tell("second")];
  await server.handle();

  expect(greeting).toMatchObject({ status: 200, headers: { "x-hook-secret": "first" } });
  const metadata = await readMetadata(ctx, "customer-1");
  expect(JSON.stringify(metadata ?? {})).not.toContain("first");
  expect([genuine.status, forged.status]).toEqual([200, 401]);
  const [forward] = await listForwards(ctx);
  expect(forward?.body["connectionId"]).toBe("customer-1");
});
