import { expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { newSync, newUpload } from "#functions/testing";
import { countRecords, recordQuarantineHandlers } from "#records";
import { listRuns } from "./testing/index.ts";
import { connection, ctx, runQueued, trigger, useSyncs } from "./testing/syncs-under-test.ts";

useSyncs();

const noInput = { params: undefined, body: undefined, headers: undefined };
const place = { provider_config_key: "crm", connection_id: "customer-1" };

/** A sync of contacts whose `name` is text; as zod says what does not match. */
async function run(body: string, onInvalidRecord?: string): Promise<void> {
  const js = `
    const check = (data) => data.throws ? (() => { throw new RangeError("too deep"); })()
      : typeof data.name === "string" ? { success: true, data }
      : { success: false, error: { issues: [{ code: "invalid_type", expected: "string", message: "no text",
          path: data.path ?? ["name"] }] } };
    const Contact = { safeParse: check, safeParseAsync: async (data) => check(data) };
    module.exports.default = { type: "sync", models: { Contact }, onInvalidRecord: ${JSON.stringify(onInvalidRecord)},
      exec: async (svc) => { ${body} } };`;
  const flow = newSync("contacts", { fileBody: { js, ts: body } });
  await deployFunctions(ctx, newUpload({ flowConfigs: [flow], reconcile: true }));
  await trigger();
  await runQueued();
}

async function quarantine() {
  const query = { ...place };
  return (await recordQuarantineHandlers.listQuarantine(ctx, { ...noInput, query })).data;
}

async function samples(reason?: number) {
  const query = { ...place, model: "Contact", limit: 250, ...(reason !== undefined && { reason }) };
  return (await recordQuarantineHandlers.listQuarantineSamples(ctx, { ...noInput, query })).data;
}

async function liveCount(): Promise<number> {
  return (await countRecords(ctx, { connections: [connection.uuid] }))[0]?.count ?? 0;
}

async function latestRun() {
  const [latest] = (await listRuns(ctx)).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return latest;
}

const save = (records: string) => `await svc.batchSave(${records}, "Contact");`;

test("a record that does not match is quarantined, and leaves the quarantine once it does", async () => {
  await run(save(`[{ id: "1", name: "a" }, { id: "2", name: 7 }, { id: "3" }]`), "quarantine");
  const latest = await latestRun();
  const before = await quarantine();
  const some = await samples();
  await run(save(`[{ id: "2", name: "b" }]`), "quarantine");
  const after = await quarantine();
  await run(`await svc.batchDelete([{ id: "3" }], "Contact");`, "quarantine");

  expect(latest?.state).toBe("success");
  expect(latest?.result).toEqual({
    Contact: { added: 1, updated: 0, deleted: 0, unchanged: 0, quarantined: 2 },
  });
  const reason = { pointer: "/name", code: "invalid_type", expected: "string" };
  expect(before).toMatchObject([{ model: "Contact", variant: "base", count: 2 }]);
  expect(before[0]?.reasons).toMatchObject([
    { ...reason, received: "number", count: 1 },
    { ...reason, received: "missing", count: 1 },
  ]);
  expect(some.map(({ record }) => record)).toEqual([{ id: "2", name: 7 }, { id: "3" }]);
  expect(after).toMatchObject([{ count: 1, reasons: [{ received: "missing", count: 1 }] }]);
  expect(await quarantine()).toEqual([]);
  expect([await samples(), await liveCount()]).toEqual([[], 2]);
});

test("what was saved of a record before stays, and does not count as gone at the provider", async () => {
  const tracked = (records: string) =>
    `await svc.trackDeletesStart("Contact"); ${save(records)} await svc.trackDeletesEnd("Contact");`;
  await run(tracked(`[{ id: "1", name: "a" }, { id: "2", name: "b" }]`), "quarantine");
  await run(tracked(`[{ id: "1" }, { id: "2", name: "b" }]`), "quarantine");
  const kept = await liveCount();
  const [first] = await quarantine();
  await run(tracked(`[{ id: "2", name: "b" }]`), "quarantine");

  expect([kept, first?.count]).toEqual([2, 1]);
  expect([await liveCount(), await quarantine()]).toEqual([1, []]);
});

test("a merge that does not match is quarantined, and the record stays as it was", async () => {
  await run(
    `${save(`[{ id: "1", name: "a" }]`)} await svc.batchUpdate([{ id: "1", name: 3 }], "Contact");
     const [one] = (await svc.getRecordsByIds(["1"], "Contact")).values();
     if (one.name !== "a") throw new Error(JSON.stringify(one));`,
    "quarantine",
  );

  expect((await latestRun())?.error).toBeNull();
  expect(await quarantine()).toMatchObject([{ count: 1 }]);
});

test.each([
  ["save", "success", 1],
  ["fail", "failed", 0],
  [undefined, "success", 1],
])("with onInvalidRecord %s the run ends as %s", async (option, state, saved) => {
  await run(save(`[{ id: "1" }]`), option);

  expect((await latestRun())?.state).toBe(state);
  expect([await liveCount(), await quarantine()]).toEqual([saved, []]);
});

test("hostile records in a batch of 10,000: reasons and samples are bounded, the count is exact", async () => {
  await run(
    `const records = Array.from({ length: 10000 }, (_, n) => ({ id: "r" + n, path: ["f" + n, n % 7], big: "x".repeat(n % 100 === 0 ? 20000 : 1) }));
     const deep = {}; let at = deep; for (let n = 0; n < 50000; n += 1) at = at.d = {};
     records.push({ id: "deep", deep }, { id: "throws", throws: true }, { id: "big", n: 1n },
       JSON.parse('{"id":"proto","__proto__":{"name":"x"},"path":["__proto__","name"]}'),
       { id: "secret", path: ["contacts", "ada@example.com", "a/b~c"] });
     ${save("records")}`,
    "quarantine",
  );

  const [model] = await quarantine();
  const all = model?.reasons ?? [];
  const kept = await samples();
  const sizes = kept.map(({ record }) => JSON.stringify(record).length);
  expect((await latestRun())?.error).toBeNull();
  expect(model?.count).toBe(10_005);
  expect(all.length).toBeLessThanOrEqual(50);
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(10_005);
  expect(kept.length).toBeLessThanOrEqual(250);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(16 * 1024);
  expect(JSON.stringify(all)).not.toContain("example.com");
  const [{ id: other } = { id: 0 }] = all.filter(({ code }) => code === "other");
  expect((await samples(other)).length).toBeLessThanOrEqual(5);
});

test("records that a reset removes leave the quarantine with the others", async () => {
  await run(save(`[{ id: "1" }]`), "quarantine");
  await trigger({ opts: { reset: true, emptyCache: true } });
  const before = (await quarantine()).length;
  await run("", "quarantine");

  expect([before, await quarantine()]).toEqual([1, []]);
});
