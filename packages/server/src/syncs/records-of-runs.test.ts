import { expect, test } from "vitest";
import { environmentHandlers } from "#environments";
import { countRecords } from "#records";
import { confirmDeletes } from "./control/confirm-deletes.ts";
import { deleteIdleRecords } from "./control/delete-idle-records.ts";
import { listRuns } from "./testing/index.ts";
import {
  app,
  connection,
  ctx,
  deploy,
  readStatus,
  runDue,
  runQueued,
  trigger,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

const DAY_MS = 24 * 60 * 60 * 1000;

async function runBody(body: string): Promise<void> {
  await deploy(body);
  await trigger();
  await runQueued();
}

async function liveCount(): Promise<number | undefined> {
  return (await countRecords(ctx, { connections: [connection.uuid] }))[0]?.count;
}

async function set(change: object): Promise<void> {
  const noInput = { params: undefined, query: undefined, headers: undefined };
  await environmentHandlers.updateEnvironmentSettings(ctx, { ...noInput, body: change });
}

const twenty = `const all = Array.from({ length: 20 }, (_, n) => ({ id: "r" + n }));`;

/** Saves 20 records page by page, tracked; `at` says what goes wrong on which page. */
const pages = (at: string) => `${twenty}
  await svc.trackDeletesStart("Contact");
  for (let page = 0; page < 10; page += 1) {
    ${at}
    await svc.batchSave(all.slice(page * 2, page * 2 + 2), "Contact");
  }
  await svc.trackDeletesEnd("Contact");`;

test("no run that breaks off on a page deletes anything; a whole one deletes what is gone (J5)", async () => {
  await runBody(`${twenty} await svc.batchSave([...all, { id: "gone" }], "Contact");`);
  const counts = [];
  for (const page of [0, 4, 9]) {
    await runBody(pages(`if (page === ${page}) throw new Error("page ${page}");`));
    counts.push(await liveCount());
  }
  await runBody(pages(""));

  expect(counts).toEqual([21, 21, 21]);
  expect(await liveCount()).toBe(20);
  const results = (await listRuns(ctx)).map(({ result }) => result);
  expect(results).toContainEqual({
    Contact: expect.objectContaining({ added: 0, updated: 0, deleted: 1 }),
  });
});

test("a run that continues from a checkpoint continues with what was seen before it", async () => {
  await runBody(`${twenty} await svc.batchSave([...all, { id: "gone" }], "Contact");`);
  await runBody(`${twenty}
    await svc.trackDeletesStart("Contact");
    await svc.batchSave(all.slice(0, 10), "Contact");
    await svc.saveCheckpoint({ page: 10 });
    throw new Error("half way");`);
  await runBody(`${twenty}
    const { page } = await svc.getCheckpoint();
    await svc.trackDeletesStart("Contact");
    await svc.batchSave(all.slice(page), "Contact");
    const { deletedKeys } = await svc.trackDeletesEnd("Contact");
    if (deletedKeys.join() !== "gone") throw new Error(deletedKeys.join());`);

  expect(await liveCount()).toBe(20);
});

test("a run that breaks off after its deletes, and continues from its checkpoint, deletes nothing more", async () => {
  const body = `
    const { page: first } = (await svc.getCheckpoint()) ?? { page: 0 };
    await svc.trackDeletesStart("Contact");
    for (let page = first; page < 3; page += 1) {
      await svc.batchSave([{ id: "r" + page }], "Contact");
      await svc.saveCheckpoint({ page: page + 1 });
    }
    await svc.trackDeletesEnd("Contact");
    if (first === 0) throw new Error("broke off");
    await svc.clearCheckpoint();`;
  await runBody(body);
  const brokenOff = (await readStatus()).status;
  await trigger();
  await runQueued();
  const goneOn = await liveCount();
  await runBody(body.replace("page < 3", "page < 2").replace("first === 0", "false"));

  expect([brokenOff, goneOn, await liveCount()]).toEqual(["ERROR", 3, 2]);
});

test("a sync that keeps its checkpoint tracks deletes again once a run has succeeded", async () => {
  const body = (ids: string) => `
    await svc.trackDeletesStart("Contact");
    await svc.batchSave(${ids}.map((id) => ({ id })), "Contact");
    await svc.trackDeletesEnd("Contact");
    await svc.saveCheckpoint({ at: 1 });`;
  await runBody(body(`["a", "b"]`));
  await runBody(body(`["a"]`));

  expect(await liveCount()).toBe(1);
});

test("functions read, merge and list what is stored", async () => {
  await runBody(`
    await svc.batchSave([
      { id: "1", name: "a", deep: { x: 1, list: [1, 2] } }, { id: "2" }, { id: "3" },
    ], "Contact");
    await svc.batchDelete([{ id: "3" }], "Contact");
    await svc.batchUpdate([
      { id: "1", deep: { y: 2, list: [3] } }, { id: "3", name: "x" }, { id: "unknown" },
    ], "Contact");
    const byId = await svc.getRecordsByIds(["1", 2, "none"], "Contact");
    const { _svc_metadata, ...first } = byId.get("1");
    const text = JSON.stringify(first) + [...byId.keys()].map((key) => typeof key);
    const listed = [];
    for await (const { id, name } of svc.listRecords("Contact")) listed.push(id + (name ?? ""));
    await svc.batchSave([{ id: "seen", name: text + listed }], "Contact");
    const rest = [];
    for await (const { id } of svc.listRecords("Contact", { cursor: _svc_metadata.cursor })) rest.push(id);
    if (rest.join() !== "seen") throw new Error(rest.join());
    const seen = (await svc.getRecordsByIds(["seen"], "Contact")).get("seen").name;
    const expected = '{"deep":{"list":[3],"x":1,"y":2},"id":"1","name":"a"}string,number' + "2,3,1a";
    if (seen !== expected) throw new Error(seen);`);

  expect((await listRuns(ctx))[0]?.error ?? null).toBeNull();
  expect((await readStatus()).latestResult).toMatchObject({
    Contact: { added: 4, updated: 1, deleted: 1 },
  });
});

test("the delete guard ends the run as an error, also when the function catches it, until it is allowed", async () => {
  await set({ delete_guard: { share: 0.5, syncs: { "crm/contacts": 0.2 } } });
  await runBody(`${twenty} await svc.batchSave(all, "Contact");`);
  const half = `${twenty}
    await svc.trackDeletesStart("Contact");
    await svc.batchSave(all.slice(0, 12), "Contact");
    try { await svc.trackDeletesEnd("Contact"); } catch {}`;
  await runBody(half);
  const refused = { count: await liveCount(), status: (await readStatus()).status };
  const errors = (await listRuns(ctx)).map(({ error }) => error?.type);
  const sync = { name: "contacts", variant: "base" };
  const wanted = { integrationKey: "crm", connectionId: "customer-1", sync };

  const allowed = await confirmDeletes(ctx, wanted);
  await runBody(half);

  expect(refused.count).toBe(20);
  expect(errors).toContain("delete_guard");
  expect(allowed).toEqual([{ model: "Contact", deletes: 8 }]);
  expect(await liveCount()).toBe(12);
  await expect(confirmDeletes(ctx, wanted)).rejects.toMatchObject({ code: "no_refused_deletes" });
});

test("records of a sync that has long not succeeded are removed where the environment asks for it", async () => {
  await deploy(`${twenty}
    if ((await svc.getCheckpoint()) === null) await svc.batchSave(all, "Contact");
    await svc.saveCheckpoint({ done: true });`);
  await runDue();
  app.clock.advance(40 * DAY_MS);

  await deleteIdleRecords(ctx);
  const untouched = await liveCount();
  await set({ retention: { records_delete_days: 60 } });
  await deleteIdleRecords(ctx);
  const tooYoung = await liveCount();
  await set({ retention: { records_delete_days: 30 } });
  await deleteIdleRecords(ctx);

  const removed = await liveCount();
  await runDue();

  expect([untouched, tooYoung, removed, await liveCount()]).toEqual([20, 20, 0, 20]);
});
