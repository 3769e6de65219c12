import { afterAll, beforeAll, expect, test } from "vitest";
import { routers } from "./match/all-routers.ts";
import type { InboundRequest, WebhookKeys } from "./match/router.ts";
import type { ProviderRouting } from "./match/routing.ts";
import { runReadJob } from "./reading/jobs.ts";
import {
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
const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;

const routings: ProviderRouting[] = [
  { kind: "plain" },
  { kind: "hmac", hmac: { header: "x-sig", algorithm: "sha256", encoding: "hex" } },
  ...Object.keys(routers).map((name) => ({ kind: "named" as const, name })),
];
const without: WebhookKeys = {
  webhookSecret: undefined,
  clientSecret: undefined,
  app: undefined,
  connectionSecret: undefined,
};
const secrets: WebhookKeys = {
  webhookSecret: "s",
  clientSecret: "s",
  app: { id: "1", privateKey: "k", link: "l" },
  connectionSecret: "s",
};
const empty: InboundRequest = {
  method: "POST",
  url: "https://here.example/w?svcConnectionId=c-1",
  headers: { "x-topic": "changed" },
  query: { svcConnectionId: "c-1" },
  body: Buffer.alloc(0),
};

for (const routing of routings) {
  const name = routing.kind === "named" ? routing.name : routing.kind;

  test(`${name}: a request without a body is an event of its headers, or refused for its signature`, async () => {
    const examine = async (keys: WebhookKeys) => {
      await runReadJob({ kind: "holder", routing, decoded: empty });
      const now = new Date();
      const asked = { routing, request: empty, decodedBody: undefined, keys, now };
      const taken = { ...asked, allowUnsigned: false, documents: new Map() };
      return await runReadJob({ kind: "examine", ...taken });
    };
    const refusals = ["webhook_invalid_secret", "webhook_missing_signature"];

    const [open, closed] = [await examine(without), await examine(secrets)];
    const events = await runReadJob({ kind: "events", routing, decoded: empty });

    for (const examined of [open, closed]) {
      expect(examined).toSatisfy(
        ({ kind, code }: { kind: string; code?: string }) =>
          kind === "taken" || (kind === "refused" && refusals.includes(code ?? "")),
      );
    }
    expect(events).toMatchObject([{ match: [{ property: "connectionId", value: "c-1" }] }]);
    expect(JSON.parse(String(Object(events)[0].payload))).toEqual({ "x-topic": "changed" });
  });
}

test("a notification without a body is stored, given to onWebhook and forwarded with its headers", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "dropbox", { credentials: client });
  const uuid = await insertConnection(ctx, integration, "customer-1");
  await subscribe(ctx, integration, ["*"]);
  const headers = { "X-Resource-State": "changed" };

  const path = `${server.pathOf(integration)}?svcConnectionId=customer-1`;
  const answer = await server.send(path, { headers });
  const probe = await server.send(path, { method: "HEAD" });
  await server.handle();

  expect([answer.status, probe.status]).toEqual([200, 200]);
  const [forward, ...others] = await listForwards(ctx);
  expect(forward?.body).toMatchObject({
    connectionId: "customer-1",
    payload: { "x-resource-state": "changed" },
  });
  expect(others).toEqual([]);
  expect(await listWebhookRuns(ctx)).toMatchObject([
    { connectionUuid: uuid, input: { "x-resource-state": "changed" } },
  ]);
});

test("svcConnectionId names the connection of any provider: in address, header, body, and the operator's spelling", async () => {
  await using renamed = await startInboxServer({ compatPrefix: "acme" });
  const ctx = await renamed.environment();
  const integration = await renamed.integration(ctx, "dropbox", { credentials: client });
  for (const id of ["a", "b", "c", "d", "e", "f"]) await insertConnection(ctx, integration, id);
  const path = renamed.pathOf(integration);
  const send = async (query: string, body: object, headers: Record<string, string> = {}) =>
    await renamed.send(path, {
      query,
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });

  await send("?svcConnectionId=a", { type: "x" });
  await send("", { type: "x" }, { "x-svc-connection-id": "b" });
  await send("", { svcConnectionId: "c" });
  await send("", { svc: { connectionId: "d" } });
  await send("?acmeConnectionId=e", {});
  await send("", { acmeConnectionId: "f" });
  await send("?svcConnectionId=nobody", {});
  await renamed.handle();

  const named = (await listForwards(ctx)).map(({ body }) => body["connectionId"]);
  expect(named).toEqual(["a", "b", "c", "d", "e", "f", undefined]);
});

test("an address names one connection where the provider's own router would find others or all", async () => {
  const ctx = await server.environment();
  const slack = await server.integration(ctx, "slack", { credentials: client });
  const affinity = await server.integration(ctx, "affinity");
  for (const id of ["one", "two"]) {
    await insertConnection(ctx, slack, id, { config: { "team.id": "T1" } });
    await insertConnection(ctx, affinity, id);
  }
  const body = JSON.stringify({ type: "event_callback", team_id: "T1", svcConnectionId: "one" });
  const send = async (path: string) => await server.send(path, { headers: json, body });

  await send(`${server.pathOf(slack)}?svcConnectionId=two`);
  await send(`${server.pathOf(affinity)}?svcConnectionId=two`);
  // A router knows what the body says: a field of the sender's names nobody.
  await send(server.pathOf(slack));
  await server.handle();

  const named = (await listForwards(ctx)).map(({ body: sent }) => [
    sent["from"],
    sent["connectionId"],
  ]);
  expect(named.toSorted()).toEqual([
    ["affinity", "two"],
    ["slack", "one"],
    ["slack", "two"],
    ["slack", "two"],
  ]);
});

test("rules of the integration find connection, type and repetitions where no router knows the provider", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "dropbox", {
    credentials: client,
    settings: {
      webhooks: {
        match: [
          { value: "header:X-Account", property: "metadata.account" },
          { value: "items.0.tenant.id", property: "config.tenant" },
          { value: "query:mailbox", property: "connectionId" },
        ],
        type: "kind",
        event_id: "id",
      },
    },
  });
  await insertConnection(ctx, integration, "by-header", { metadata: { account: 77 } });
  const uuid = await insertConnection(ctx, integration, "by-body", { config: { tenant: "t-1" } });
  await insertConnection(ctx, integration, "by-query");
  await subscribe(ctx, integration, ["changed"]);
  const send = async (body: object, query = "", headers = {}) =>
    await server.send(server.pathOf(integration), {
      query,
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });

  await send({ id: "1", kind: "made" }, "", { "x-account": "77" });
  await send({ id: "2", kind: "changed", items: [{ tenant: { id: "t-1" } }] });
  await send({ id: "2", kind: "changed", items: [{ tenant: { id: "t-1" } }] });
  await send({ id: "3", kind: "made" }, "?mailbox=by-query");
  await send({ id: "4", kind: "made", items: [{ tenant: { id: "t-2" } }] });
  await server.handle();

  const named = (await listForwards(ctx)).map(({ body }) => body["connectionId"]);
  expect(named).toEqual(["by-header", "by-body", "by-query", undefined]);
  expect(await listWebhookRuns(ctx)).toMatchObject([{ connectionUuid: uuid, input: { id: "2" } }]);
});

test("with rules, events of a provider that names no account no longer go to every connection", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "affinity", {
    settings: { webhooks: { match: [{ value: "list", property: "metadata.list" }] } },
  });
  await insertConnection(ctx, integration, "mine", { metadata: { list: "L1" } });
  await insertConnection(ctx, integration, "other");
  const send = async (list: string) => {
    const body = JSON.stringify({ type: "list.created", list });
    await server.send(server.pathOf(integration), { headers: json, body });
  };

  await send("L1");
  await send("L2");
  await server.handle();

  const named = (await listForwards(ctx)).map(({ body }) => body["connectionId"]);
  expect(named).toEqual(["mine", undefined]);
});
