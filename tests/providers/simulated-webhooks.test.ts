import { listProviders, type Provider } from "@jackfield/catalogue";
import {
  describeIntegration,
  describeWebhookSecret,
  startVendor,
  type Vendor,
} from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listRouters } from "../../packages/server/src/webhooks-in/testing/index.ts";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../journeys/webhook-receiver.ts";

let api: ApiUnderTest;
let call: Api;
let receiver: WebhookReceiver;

beforeAll(async () => {
  api = await startApi();
  call = apiOf(api.url, await api.keyOf("dev", ["environment:*"]));
  const { body } = await call("GET", "/environment/webhooks");
  receiver = await startWebhookReceiver(body.data.signing_keys[0].key);
  await call("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

// The keys of these two lie at the vendors' own addresses, which a simulator does not answer for.
const unsignable = ["connectwise", "google-mail"];
const proving = listRouters().filter(({ isProving }) => isProving);
const routers = proving.map(({ name }) => name).filter((name) => !unsignable.includes(name));

function findEntry(router: string): Provider {
  const all = listProviders().filter((each) => each.webhooks?.router === router);
  const found = all.find(({ auth_mode: mode }) => mode === "OAUTH2") ?? all[0];
  if (found === undefined) throw new Error(`no entry uses the router ${router}`);
  return found;
}

/** An integration at the simulator, with a connection where one can be imported; its webhook address. */
async function configure(vendor: Vendor, key: string): Promise<string> {
  const body = { ...describeIntegration(vendor), unique_key: key };
  expect(await call("POST", "/integrations", { body })).toMatchObject({ status: 200 });
  const secret = describeWebhookSecret(vendor);
  if (secret !== undefined) {
    const set = await call("PATCH", `/integrations/${key}`, { body: secret });
    expect(set).toMatchObject({ status: 200 });
  }
  const connection = vendor.newConnection();
  if (connection !== undefined) {
    const made = await call("POST", "/connections", {
      body: {
        provider_config_key: key,
        connection_id: `${key} customer`,
        ...connection,
      },
    });
    expect(made, JSON.stringify(made)).toMatchObject({ status: 201 });
    const path = `/connections/${encodeURIComponent(`${key} customer`)}?provider_config_key=${key}`;
    const changed = await call("PATCH", path, { body: { webhook_secret: "connection-key" } });
    expect(changed).toMatchObject({ status: 200 });
  }
  const { body: shown } = await call("GET", `/integrations/${key}?include=webhook`);
  return `${shown.data.webhook_url}?svcConnectionId=${encodeURIComponent(`${key} customer`)}`;
}

async function send(vendor: Vendor, webhook: object) {
  const path = `${vendor.origin}/.simulator/webhook`;
  return await (await fetch(path, { method: "POST", body: JSON.stringify(webhook) })).json();
}

async function readInbox(key: string) {
  const { body } = await call("GET", `/webhooks/inbox?provider_config_key=${key}`);
  return body.data;
}

const ofConnection = new Set(["asana", "gitlab", "pagerduty"]);

test.each(routers)("%s: what the simulator sends is verified", async (router) => {
  await using vendor = await startVendor(findEntry(router));
  const url = await configure(vendor, router);
  const secret = ofConnection.has(router) ? { secret: "connection-key" } : {};

  const reported = await send(vendor, { url, ...secret });

  expect(reported).toMatchObject({ status: 200, signed: true });
  expect(await readInbox(router)).toMatchObject([{ verified: "signature" }]);
});

test("another secret is refused, and an event of the caller's own is forwarded", async () => {
  const key = "forwarding";
  await using vendor = await startVendor("hubspot");
  const url = await configure(vendor, key);
  const event = [
    {
      subscriptionType: "contact.deletion",
      objectId: 7,
      portalId: vendor.samples.reported["portalId"],
    },
  ];

  const forged = await send(vendor, { url, event, secret: "another" });
  const taken = await send(vendor, { url, event });
  const malformed = await send(vendor, { url: "nowhere" });

  expect(forged).toMatchObject({ status: 401, signed: true });
  expect(taken).toMatchObject({ status: 200, signed: true });
  expect(malformed).toMatchObject({ error: "invalid_webhook" });
  const forwarded = () =>
    receiver.all("forward").find(({ providerConfigKey }) => providerConfigKey === key);
  await expect.poll(forwarded, { timeout: 10_000 }).toMatchObject({
    connectionId: `${key} customer`,
    payload: event[0],
  });
});
