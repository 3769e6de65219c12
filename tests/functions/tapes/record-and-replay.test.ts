import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTapes, type TapesUnderTest } from "./tapes-under-test.ts";

vi.setConfig({ testTimeout: 60_000 });

let tapes: TapesUnderTest;
beforeAll(async () => {
  tapes = await startTapes();
});
afterAll(async () => await tapes[Symbol.asyncDispose]());

const clockwork = `const crypto = require("node:crypto");
  const { setTimeout: sleep } = require("node:timers/promises");
  const loaded = [Date.now(), crypto.randomUUID(), Math.random()];
  //---
  const first = [Date.now(), new Date().toISOString(), Math.random(), performance.now(), process.hrtime().join()];
  const pages = await Promise.all([1, 2, 3].map(async (page) => {
    await sleep(Math.random() * 20);
    const { data } = await svc.get({ endpoint: "/items", params: { page, at: Date.now() } });
    return [data.path, Date.now(), crypto.randomBytes(4).toString("hex")];
  }));
  const winner = await Promise.race([sleep(30, "timer"), svc.get({ endpoint: "/slow" }).then(() => "answer")]);
  let ticks = 0;
  await new Promise((resolve) => {
    const timer = setInterval(() => { ticks += 1; if (ticks === 3) { clearInterval(timer); resolve(); } }, 2);
  });
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8)).join();
  const temporal = typeof Temporal === "undefined" ? "" : Temporal.Now.instant().toString();
  const text = [new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" }).format(), Date()];
  return { loaded, first, pages, winner, ticks, bytes, temporal, text, int: crypto.randomInt(1000000), last: Date.now() };`;

test("an action with clock, random values, timers and parallel calls is replayed byte for byte", async () => {
  tapes.answer = (request, response) => {
    response.setHeader("content-type", "application/json");
    const answer = () => response.end(JSON.stringify({ path: request.url }));
    setTimeout(answer, request.url === "/slow" ? 60 : 10 * Math.random());
  };
  await tapes.deploy("clockwork", "action", clockwork);
  await tapes.record("clockwork", { sample: 1 });

  const answered = await tapes.trigger("clockwork");
  const tape = await tapes.tapeOf("clockwork");
  const before = tapes.asked.length;
  const replayed = await tapes.replay(tape, "action", clockwork);
  const again = await tapes.replay(tape, "action", clockwork);

  expect(answered.status, JSON.stringify(answered.body)).toBe(200);
  expect(tape.outcome).toMatchObject({
    kind: "done",
    output: { text: JSON.stringify(answered.body) },
  });
  expect(replayed.outcome).toEqual(tape.outcome);
  expect(replayed).toMatchObject({ isSame: true, unknown: [], stopped: undefined });
  expect(again.outcome).toEqual(tape.outcome);
  expect(tapes.asked).toHaveLength(before);
  // The process serves others as if it had recorded nothing.
  const later = await tapes.trigger("clockwork");
  expect(later.body.bytes).not.toBe(answered.body.bytes);
});

const paging = `let cursor = (await svc.getCheckpoint())?.cursor ?? "0";
  await svc.trackDeletesStart("Contact");
  while (cursor !== "") {
    const { data } = await svc.get({ endpoint: "/contacts", params: { cursor, limit: 2 } });
    await svc.batchSave(data.contacts.map((each) => ({ ...each, seen: new Date().toISOString() })), "Contact");
    await svc.log("page " + cursor, { level: "warn" });
    cursor = data.next;
    await svc.saveCheckpoint({ cursor });
  }
  await svc.clearCheckpoint();
  await svc.batchDelete([{ id: "gone" }], "Contact");
  await svc.trackDeletesEnd("Contact");`;

async function recordSync(name: string): Promise<void> {
  tapes.answer = (request, response) => {
    const at = Number(new URL(request.url ?? "", "http://x").searchParams.get("cursor"));
    const contacts = [at, at + 1].map((id) => ({ id: String(id), name: `Person ${id}` }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ contacts, next: at < 6 ? String(at + 2) : "" }));
  };
  await tapes.deploy(name, "sync", paging);
  await tapes.record(name, { sample: 1 });
  const body = {
    ...{ provider_config_key: "crm", connection_id: "acme" },
    syncs: [name],
  };
  expect((await tapes.call("POST", "/sync/trigger", { body })).status).toBe(200);
}

test("a sync with pages and checkpoints is replayed whole, and from a checkpoint", async () => {
  await recordSync("contacts");

  const tape = await tapes.tapeOf("contacts");
  const replayed = await tapes.replay(tape, "sync", paging);
  const checkpoints = tape.calls.filter(({ method }) => method === "saveCheckpoint");
  const resumed = await tapes.replay(tape, "sync", paging, {
    fromCheckpoint: checkpoints[1]?.id,
  });

  expect(tape.calls.filter(({ method }) => method === "proxy")).toHaveLength(4);
  expect(replayed).toMatchObject({ isSame: true, stopped: undefined });
  expect(replayed.outcome).toEqual(tape.outcome);
  expect(resumed).toMatchObject({ isSame: true, stopped: undefined, unknown: [] });
  expect(resumed.calls).toBeLessThan(replayed.calls);
});

test("changed code gives exactly the changed parts", async () => {
  await recordSync("changing");
  const tape = await tapes.tapeOf("changing");
  const change = (from: string, to: string) => paging.replace(from, to);

  const asked = await tapes.replay(tape, "sync", change("limit: 2", "limit: 3"));
  const saved = await tapes.replay(
    tape,
    "sync",
    change("({ ...each, seen:", '({ ...each, ...(each.id === "3" && { name: "Other" }), seen:'),
  );
  const fewer = await tapes.replay(
    tape,
    "sync",
    change('while (cursor !== "")', 'while (cursor !== "6" && cursor !== "")'),
  );
  const header = await tapes.replay(
    tape,
    "sync",
    change("params: {", 'headers: { "x-own": "1" }, params: {'),
  );
  const another = change(
    "await svc.clearCheckpoint();",
    'await svc.get({ endpoint: "/me" }); await svc.clearCheckpoint();',
  );
  const stopped = await tapes.replay(tape, "sync", another);
  const failed = await tapes.replay(tape, "sync", another, { onUnknown: "fail" });
  const skipped = await tapes.replay(tape, "sync", another, { onUnknown: "skip" });

  const none = { saves: {}, checkpoints: [], metadata: [], logs: [], outcome: [] };
  const pages = ["0", "2", "4", "6"].map(() => ({
    call: "GET /contacts",
    differences: ['query.limit: recorded "2", now "3"'],
  }));
  expect(asked.difference).toEqual({ ...none, calls: { added: [], missing: [], changed: pages } });
  expect(saved.difference).toEqual({
    ...none,
    calls: { added: [], missing: [], changed: [] },
    saves: {
      "Contact saved": {
        ...{ added: [], missing: [] },
        changed: [{ id: "3", differences: ['name: recorded "Person 3", now "Other"'] }],
      },
    },
  });
  expect(fewer.difference).toMatchObject({
    calls: { added: [], missing: ["GET /contacts"], changed: [] },
    saves: { "Contact saved": { missing: ["6", "7"], added: [], changed: [] } },
    logs: ['3: recorded {"level":"warn","message":"page 6"}, now missing'],
  });
  expect(header.difference.calls.changed[0]).toEqual({
    call: "GET /contacts",
    differences: ['headers.x-own: not recorded, now "1"'],
  });
  expect(stopped).toMatchObject({
    ...{ isSame: false, unknown: ["GET /me"], stopped: "GET /me is not on the tape" },
    difference: { ...none, calls: { added: ["GET /me"], missing: [], changed: [] } },
  });
  expect(failed.outcome).toMatchObject({
    error: { message: expect.stringContaining("GET /me is not on the tape") },
  });
  expect(skipped).toMatchObject({
    ...{ isSame: false, stopped: undefined },
    difference: { ...none, calls: { added: ["GET /me"], missing: [], changed: [] } },
  });
});
