import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createIntegration } from "#integrations";
import { ensureLogPartitions } from "#logs";
import { newSync, newUpload } from "../testing/index.ts";
import { deployUpload } from "./deploy-functions.ts";
import { planDeployment } from "./plan-deployment.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function addIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
  change: {
    provider?: string;
    settings?: Parameters<typeof createIntegration>[1]["settings"];
  } = {},
) {
  const credentials = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;
  await createIntegration(ctx, {
    provider: "dropbox",
    uniqueKey,
    displayName: undefined,
    forwardWebhooks: true,
    credentials,
    integrationConfig: {},
    custom: {},
    settings: {},
    ...change,
  });
}

const subscribed = (providerConfigKey: string, webhookSubscriptions: string[]) =>
  newUpload({ flowConfigs: [newSync("files", { providerConfigKey, webhookSubscriptions })] });

test("a deployment warns of a sync whose webhooks have no type to subscribe to, and deploys it", async () => {
  const ctx = await app.addEnvironment();
  await addIntegration(ctx, "plain");
  await addIntegration(ctx, "ruled", { settings: { webhooks: { type: "kind" } } });
  await addIntegration(ctx, "known", { provider: "slack" });
  const upload = subscribed("plain", ["file.changed"]);

  const plan = await planDeployment(ctx, upload);
  const { results, warnings } = await deployUpload(ctx, upload, { way: "upload" });
  const others = await Promise.all(
    [
      subscribed("plain", ["*"]),
      subscribed("plain", []),
      subscribed("ruled", ["file.changed"]),
      subscribed("known", ["event_callback"]),
    ].map(async (each) => await planDeployment(ctx, each)),
  );

  expect(plan.warnings).toEqual([
    expect.stringMatching(
      /"files" of integration "plain" never runs.*"file\.changed".*settings\.webhooks\.type/,
    ),
  ]);
  expect(warnings).toEqual(plan.warnings);
  expect(results).toHaveLength(1);
  for (const other of others) expect(other).not.toHaveProperty("warnings");
});
