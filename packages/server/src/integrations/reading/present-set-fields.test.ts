import { afterAll, beforeAll, expect, test } from "vitest";
import { type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let reader: string;
let writer: string;

beforeAll(async () => {
  server = await startKeyedServer();
  const { ctx } = server.installation;
  reader = await server.newKey(ctx, "environment:integrations:read");
  writer = await server.newKey(ctx, "environment:*");
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function make(body: object): Promise<void> {
  expect((await server.call(writer, "POST", "/integrations", body)).status).toBe(200);
}

async function readFields(key: string) {
  const { body } = await server.call(reader, "GET", `/integrations/${key}?include=fields`);
  return body.data.fields;
}

test("who may not read credentials sees which are set, and those that are no secret", async () => {
  const credentials = { client_id: "id-1", client_secret: "canary-secret", scopes: "repo,user" };
  await make({ provider: "github", unique_key: "gh", credentials });

  const fields = await readFields("gh");

  expect(fields.credentials).toMatchObject({
    client_id: { title: "Client ID", is_set: true, value: "id-1" },
    client_secret: { secret: true, is_set: true },
    scopes: { optional: true, is_set: true, value: "repo,user" },
    webhook_secret: { secret: true, is_set: false },
  });
  expect(fields).toMatchObject({ integration_config: {}, custom: {} });
  expect(JSON.stringify(fields)).not.toContain("canary-secret");
});

test("settings of the provider come with their fields, and secret ones without values", async () => {
  const config = { service: "sqs", awsAccessKeyId: "AKID", awsSecretAccessKey: "canary-key" };
  await make({ provider: "aws-sigv4", unique_key: "aws", integration_config: config });

  const { credentials, integration_config: settings } = await readFields("aws");

  expect(credentials).toEqual({});
  expect(settings).toMatchObject({
    service: { example: "s3", is_set: true, value: "sqs" },
    awsSecretAccessKey: { secret: true, is_set: true },
  });
  expect(JSON.stringify(settings)).not.toContain("canary-key");
});

test("the webhook secret of an integration without a client is among its own values", async () => {
  await make({ provider: "unauthenticated", unique_key: "open" });
  const before = await readFields("open");

  const change = { custom: { webhook_secret: "canary-webhooks" } };
  await server.call(writer, "PATCH", "/integrations/open", change);

  expect(before.custom.webhook_secret.is_set).toBe(false);
  const { custom } = await readFields("open");
  expect(custom).toEqual({ webhook_secret: expect.objectContaining({ is_set: true }) });
  expect(custom.webhook_secret).not.toHaveProperty("value");
});

test("the list does not have them", async () => {
  const { status } = await server.call(writer, "GET", "/integrations?include=fields");

  expect(status).toBe(400);
});
