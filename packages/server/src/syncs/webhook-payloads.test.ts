import { expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { createKeyedWork } from "#tasks";
import { runWebhookHandlers, syncTaskHandlers, webhookLimits } from "./index.ts";
import { listWebhooks, takeJobs } from "./testing/index.ts";
import { newSyncUpload } from "./testing/sync-upload.ts";
import {
  app,
  connection,
  ctx,
  deploy,
  integration,
  runDue,
  setWebhooks,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

// Every field of the sync webhook, and the toggles that decide whether it is sent.

const common = {
  from: "svc",
  type: "sync",
  connectionId: "customer-1",
  providerConfigKey: "crm",
  syncName: "contacts",
  syncVariant: "base",
  model: "Contact",
};

test("a run without changes tells so, unless the environment wants changes alone", async () => {
  await deploy("");
  await runDue();
  const startedAt = app.clock.now().toISOString();
  const reported = await listWebhooks(ctx);
  await setWebhooks({ on_sync_completion_always: false });
  app.clock.advance(60 * 60 * 1000);
  await runDue();

  expect(reported).toEqual([
    {
      ...common,
      syncType: expect.stringMatching(/^(INITIAL|INCREMENTAL)$/),
      success: true,
      modifiedAfter: startedAt,
      queryTimeStamp: startedAt,
      responseResults: { added: 0, updated: 0, deleted: 0 },
      sequence: 1,
    },
  ]);
  expect(await listWebhooks(ctx)).toHaveLength(1);
});

async function runHandler(
  body = `await svc.batchSave([{ id: payload.id }], "Contact");`,
): Promise<void> {
  const js = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
    module.exports.default = { type: "sync", models: { Contact: any }, exec: async () => {},
    onWebhook: async (svc, payload) => { ${body} } };`;
  const change = { fileBody: { js, ts: "" }, webhookSubscriptions: ["*"], auto_start: false };
  await deployFunctions(ctx, newSyncUpload("", change));
  const event = {
    types: ["any"],
    payload: Buffer.from('{"id":"1"}'),
    connections: [connection.uuid],
  };
  await runWebhookHandlers(ctx, { integration, ...event });
  await createKeyedWork([webhookLimits]).claim(ctx, () => {});
  const attempt = { number: 1, isLast: false };
  for (const job of await takeJobs(ctx)) await syncTaskHandlers.webhook(ctx, job, attempt);
}

test("a webhook handler's run has the success form, and can be left out", async () => {
  await runHandler();
  const startedAt = app.clock.now().toISOString();
  const reported = await listWebhooks(ctx);
  await setWebhooks({ on_webhook_sync_completion: false });
  await runHandler();

  expect(reported).toEqual([
    {
      ...common,
      syncType: "WEBHOOK",
      success: true,
      modifiedAfter: startedAt,
      queryTimeStamp: startedAt,
      responseResults: { added: 1, updated: 0, deleted: 0 },
      sequence: 1,
    },
  ]);
  expect(await listWebhooks(ctx)).toHaveLength(1);
});

test("a webhook handler that uses checkpoints tells from which to which it came", async () => {
  const body = `
    const { n = 0 } = (await svc.getCheckpoint()) ?? {};
    await svc.saveCheckpoint({ n: n + 1 });`;
  await runHandler(body);
  app.clock.advance(1000);
  await runHandler(body);

  expect(await listWebhooks(ctx)).toMatchObject([
    { syncType: "WEBHOOK", checkpoints: { from: null, to: { n: 1 } } },
    { syncType: "WEBHOOK", checkpoints: { from: { n: 1 }, to: { n: 2 } } },
  ]);
});
