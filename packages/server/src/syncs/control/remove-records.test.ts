import { expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { newUpload } from "#functions/testing";
import { countRecords } from "#records";
import { syncHandlers, syncTaskHandlers } from "../index.ts";
import { hasCheckpoints, takeRemovals } from "../testing/index.ts";
import { newSyncUpload } from "../testing/sync-upload.ts";
import { connection, ctx, deploy, runDue, useSyncs } from "../testing/syncs-under-test.ts";

useSyncs();

const saving = `await svc.batchSave([{ id: "1" }, { id: "2" }], "Contact");
  await svc.saveCheckpoint({ at: 2 });`;

/** `contacts` and `people` of the same integration, both of model Contact. */
async function deployBoth(): Promise<void> {
  const [contacts, people] = [newSyncUpload(saving), newSyncUpload(saving, { syncName: "people" })];
  const flowConfigs = [...contacts.flowConfigs, ...people.flowConfigs];
  await deployFunctions(ctx, { ...contacts, flowConfigs });
}

const attempt = { number: 1, isLast: false };

/** A deployment of nothing. */
async function removeAll(): Promise<void> {
  await deployFunctions(ctx, newUpload({ flowConfigs: [], reconcile: true }));
}

async function runRemovals(): Promise<number> {
  const removals = await takeRemovals(ctx);
  for (const removal of removals) await syncTaskHandlers.removeRecords(ctx, removal, attempt);
  return removals.length;
}

async function readCounts(): Promise<Record<string, number>> {
  const counts = await countRecords(ctx, { connections: [connection.uuid] });
  return Object.fromEntries(counts.map(({ model, count }) => [model, count]));
}

test("a sync that a deployment removes leaves neither records nor checkpoints, variants included", async () => {
  await deploy(saving);
  await syncHandlers.createSyncVariant(ctx, {
    query: undefined,
    headers: undefined,
    params: { name: "contacts", variant: "eu" },
    body: { provider_config_key: "crm", connection_id: "customer-1" },
  });
  await runDue();
  const before = await readCounts();

  await removeAll();

  expect(await runRemovals()).toBe(1);
  expect(before).toEqual({ Contact: 2, "Contact::eu": 2 });
  expect(await readCounts()).toEqual({ Contact: 0, "Contact::eu": 0 });
  expect(await hasCheckpoints(ctx)).toBe(false);
});

test("a model that another sync of the integration writes stays until that one is removed, too", async () => {
  await deployBoth();
  await runDue();

  await deploy(saving);
  await runRemovals();
  const kept = await readCounts();
  await removeAll();
  await runRemovals();

  expect([kept, await readCounts()]).toEqual([{ Contact: 2 }, { Contact: 0 }]);
});

test("a sync that is deployed again before that keeps its records and its checkpoint", async () => {
  await deploy(saving);
  await runDue();

  await removeAll();
  await deploy(saving);

  expect(await runRemovals()).toBe(1);
  expect(await readCounts()).toEqual({ Contact: 2 });
  expect(await hasCheckpoints(ctx)).toBe(true);
});

test("a sync that is deployed again while its records are removed starts over, and loses nothing of that", async () => {
  const once = `if ((await svc.getCheckpoint()) === null) { ${saving} }`;
  await deploy(once);
  await runDue();
  await removeAll();
  const [removal] = await takeRemovals(ctx);
  if (removal === undefined) throw new Error("nothing is to be removed");
  await syncTaskHandlers.removeRecords(ctx, removal, attempt);
  await deploy(once);
  await runDue();
  // The queue gives a task again whose worker has died.
  await syncTaskHandlers.removeRecords(ctx, removal, attempt);

  expect(await readCounts()).toEqual({ Contact: 2 });
});
