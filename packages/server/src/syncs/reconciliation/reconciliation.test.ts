import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#foundation";
import { deployFunctions } from "#functions";
import { createKeyedWork } from "#tasks";
import { runWebhookHandlers, syncTaskHandlers, webhookLimits } from "../index.ts";
import { takeJobs } from "../testing/index.ts";
import { newSyncUpload } from "../testing/sync-upload.ts";
import {
  app,
  connection,
  ctx,
  integration,
  runDue,
  trigger,
  useSyncs,
} from "../testing/syncs-under-test.ts";
import { forgetOldReconciled } from "./count-missed.ts";
import { syncReconciliationHandlers } from "./list-reconciliations.ts";

useSyncs();

const noInput = { params: undefined, body: undefined, headers: undefined };
const any = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };`;

/** A sync that saves what the provider has, and of a webhook the contact that it carries. */
async function provide(contacts: object, webhookSubscriptions: readonly string[] = ["*"]) {
  const js = `${any} module.exports.default = { type: "sync", models: { Contact: any },
    exec: async (svc) => { await svc.batchSave(${JSON.stringify(contacts)}, "Contact"); },
    onWebhook: async (svc, payload) => { await svc.batchSave([payload], "Contact"); } };`;
  const fileBody = { js, ts: "" };
  const change = { fileBody, webhookSubscriptions: [...webhookSubscriptions] };
  await deployFunctions(ctx, newSyncUpload("", change));
}

async function sendWebhook(contact: object): Promise<void> {
  const payload = Buffer.from(JSON.stringify(contact));
  await runWebhookHandlers(ctx, {
    ...{ integration, connections: [connection.uuid], types: ["changed"], payload },
  });
  await createKeyedWork([webhookLimits]).claim(ctx, () => {});
  const attempt = { number: 1, isLast: false };
  for (const job of await takeJobs(ctx)) await syncTaskHandlers.webhook(ctx, job, attempt);
}

async function list(query: object = {}) {
  const answer = await syncReconciliationHandlers.listReconciliations(ctx, { ...noInput, query });
  return answer.data;
}

const row = { provider_config_key: "crm", connection_id: "customer-1", model: "Contact" };

test("a scheduled run counts what webhooks missed, by model and day", async () => {
  await provide([{ id: "1" }, { id: "2" }]);
  await runDue();
  const first = await list();
  await sendWebhook({ id: "1", name: "by webhook" });
  await provide([{ id: "1", name: "by webhook" }, { id: "2", name: "missed" }, { id: "3" }]);
  app.clock.advance(10 * MINUTE);
  await runDue();
  const day = app.clock.now().toISOString().slice(0, 10);
  const second = await list();
  app.clock.advance(DAY);
  await runDue();
  const third = await list();
  const missed = await list({ missed: "true", model: "Contact", provider_config_key: "crm" });

  expect(first).toEqual([]);
  const counted = { ...row, day, scheduled_runs: 1, changes_by_webhooks: 1, missed_by_webhooks: 2 };
  expect(second).toEqual([counted]);
  expect(third).toMatchObject([
    { ...row, scheduled_runs: 1, changes_by_webhooks: 0, missed_by_webhooks: 0 },
    counted,
  ]);
  expect(missed).toEqual([counted]);
});

test("runs that somebody asked for, and those of syncs without webhooks, count nothing", async () => {
  await provide([{ id: "1" }]);
  await runDue();
  await provide([{ id: "1", name: "a" }]);
  await trigger();
  await runDue();
  const triggered = await list();
  await provide([{ id: "1", name: "b" }], []);
  app.clock.advance(HOUR);
  await runDue();

  expect([triggered, await list()]).toEqual([[], []]);
});

test("pages follow each other, and days are forgotten after 90", async () => {
  await provide([{ id: "1" }]);
  await runDue();
  for (let n = 0; n < 3; n += 1) {
    app.clock.advance(DAY);
    await runDue();
  }
  const ask = async (query: object) =>
    await syncReconciliationHandlers.listReconciliations(ctx, { ...noInput, query });
  const all = await list();
  const page = await ask({ limit: 2 });
  const rest = await ask({ limit: 2, cursor: page.next_cursor ?? "" });
  app.clock.advance(91 * DAY);
  await forgetOldReconciled(ctx);

  expect(all).toHaveLength(3);
  expect([...page.data, ...rest.data]).toEqual(all);
  expect([rest.next_cursor, await list()]).toEqual([null, []]);
});
