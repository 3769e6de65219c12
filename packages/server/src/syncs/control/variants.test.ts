import { expect, test } from "vitest";
import { HOUR, MINUTE } from "#foundation";
import { insertTestConnection } from "#functions/testing";
import { countRecords } from "#records";
import { syncHandlers } from "../index.ts";
import { listSyncRows } from "../testing/index.ts";
import {
  app,
  connection,
  ctx,
  deploy,
  integration,
  runDue,
  twoContacts,
  useSyncs,
} from "../testing/syncs-under-test.ts";

useSyncs();

const place = { provider_config_key: "crm", connection_id: "customer-1" };
const rest = { query: undefined, headers: undefined };

async function create(variant: string, name = "contacts", body = place) {
  return await syncHandlers.createSyncVariant(ctx, { ...rest, params: { name, variant }, body });
}

async function remove(variant: string, name = "contacts") {
  const params = { name, variant };
  return await syncHandlers.deleteSyncVariant(ctx, { ...rest, params, body: place });
}

async function setFrequency(frequency: string | null, change: object = {}) {
  const body = {
    ...place,
    sync_name: "contacts",
    sync_variant: "base",
    frequency,
    ...change,
  };
  return await syncHandlers.updateSyncConnectionFrequency(ctx, {
    ...rest,
    params: undefined,
    body,
  });
}

async function readStatuses() {
  const query = { provider_config_key: "crm", syncs: "*" };
  const input = { params: undefined, headers: undefined, body: undefined, query };
  return (await syncHandlers.getSyncStatus(ctx, input)).syncs;
}

test("a variant runs at once, with a schedule, a checkpoint and records of its own", async () => {
  await deploy(`${twoContacts} await svc.saveCheckpoint({ of: svc.variant });`);
  await runDue();

  const created = await create("eu");
  expect(await runDue()).toBe(1);

  expect(created).toEqual({ id: expect.any(String), name: "contacts", variant: "eu" });
  expect(await readStatuses()).toMatchObject([
    { variant: "base", checkpoint: { of: "base" }, recordCount: { Contact: 2 } },
    { variant: "eu", checkpoint: { of: "eu" }, recordCount: { Contact: 2 }, id: created.id },
  ]);
});

test("a variant that is removed leaves nothing, and its name can be used again", async () => {
  await deploy(twoContacts);
  await create("eu");
  await runDue();

  await remove("eu");

  const counts = await countRecords(ctx, { connections: [connection.uuid] });
  expect(counts.filter(({ count }) => count > 0)).toMatchObject([{ model: "Contact", count: 2 }]);
  await expect(remove("eu")).rejects.toMatchObject({ code: "not_found" });
  expect(await create("eu")).toMatchObject({ variant: "eu" });
});

test("base is protected, a name is used once, and there are a hundred at most", async () => {
  await deploy(twoContacts);

  await expect(create("Base")).rejects.toMatchObject({ code: "invalid_variant" });
  await expect(remove("base")).rejects.toMatchObject({ code: "invalid_variant" });
  await expect(create("eu", "others")).rejects.toMatchObject({ code: "unknown_sync" });
  await expect(
    create("eu", "contacts", { ...place, connection_id: "nobody" }),
  ).rejects.toMatchObject({ code: "unknown_connection" });
  const both = await Promise.allSettled([create("eu"), create("eu")]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  for (let number = 2; number < 100; number += 1) await create(`v${number}`);
  await expect(create("one-more")).rejects.toMatchObject({ code: "resource_capped" });
});

test("a frequency of one connection holds over deployments, until it is given up", async () => {
  await insertTestConnection(ctx, integration, "customer-2");
  await deploy(twoContacts);
  await runDue();

  expect(await setFrequency("every half hour")).toEqual({ frequency: "every half hour" });
  await deploy(twoContacts, { runs: "every hour" });

  const intervals = async () => (await listSyncRows(ctx)).map(({ intervalMs }) => intervalMs);
  expect((await intervals()).toSorted((a, b) => a - b)).toEqual([30 * MINUTE, HOUR]);
  const [own] = await readStatuses();
  expect(own).toMatchObject({ connection_id: "customer-1", frequency: "every half hour" });
  expect(Date.parse(own?.nextScheduledSyncAt ?? "")).toBeLessThanOrEqual(
    app.clock.now().getTime() + 30 * MINUTE,
  );
  expect(await setFrequency(null)).toEqual({ frequency: "every hour" });
  expect(await intervals()).toEqual([HOUR, HOUR]);
});

test("a frequency that is none, too short or for no sync is refused", async () => {
  await deploy(twoContacts);

  await expect(setFrequency("now and then")).rejects.toMatchObject({ code: "invalid_body" });
  await expect(setFrequency("every 29 seconds")).rejects.toMatchObject({ code: "invalid_body" });
  await expect(setFrequency("1h", { sync_name: "none" })).rejects.toMatchObject({
    code: "unknown_sync",
  });
  expect(await setFrequency("every 3 week")).toEqual({ frequency: "every 3 week" });
});
