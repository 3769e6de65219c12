import { afterAll, beforeAll, expect, test } from "vitest";
import { buildRunner, Child } from "./testing/child.ts";
import { actionSource, readCallId, readOutput } from "./testing/messages.ts";

let runner: Awaited<ReturnType<typeof buildRunner>>;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(() => runner.remove());

test("a sync pages a provider and saves its records", async () => {
  await using child = new Child(runner.file);
  const loaded = await child.load(`
    import * as z from "zod";
    import { createSync } from "jackfield";
    export default createSync({
      description: "Contacts",
      frequency: "every hour",
      models: { Contact: z.object({ id: z.string(), name: z.string() }) },
      exec: async (svc) => {
        const pages = svc.paginate({
          endpoint: "/contacts",
          paginate: { type: "cursor", cursor_name_in_request: "after", cursor_path_in_response: "next", response_path: "items" },
        });
        for await (const page of pages) await svc.batchSave(page, "Contact");
      },
    });`);

  expect(loaded.message).toEqual({ op: "loaded" });
  const call = await child.run({ kind: "sync" });
  expect(call.message).toMatchObject({
    op: "call",
    runId: "r1",
    method: "proxy",
    params: { method: "GET", endpoint: "/contacts", connectionId: "c1", query: [] },
  });
  const answer = { status: 200, statusText: "OK", headers: {} };
  child.send(
    { op: "result", callId: readCallId(call), value: answer },
    JSON.stringify({
      items: [
        { id: "b", name: "Bo" },
        { name: "Al", id: "a" },
      ],
      next: null,
    }),
  );
  const save = await child.receive();
  expect(save.message).toMatchObject({
    method: "batchSave",
    params: { model: "Contact", ids: ["b", "a"] },
  });
  expect(Buffer.from(save.body).toString()).toBe('{"id":"b","name":"Bo"}\n{"id":"a","name":"Al"}');
  child.send({
    op: "result",
    callId: readCallId(save),
    value: { added: 2, updated: 0, unchanged: 0, range: [0, 2] },
  });
  expect((await child.receive()).message).toEqual({ op: "done", runId: "r1" });
});

test("an action takes an input and answers, several runs at once", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`const [variable] = await svc.getEnvironmentVariables();
            return { mode: input.mode, value: variable.value };`),
  );

  const first = await child.run({}, { mode: "one" }, "r1");
  const second = await child.run({}, { mode: "two" }, "r2");
  child.send({ op: "result", callId: readCallId(second), value: [{ name: "A", value: "2" }] });
  const secondDone = await child.receive();
  child.send({ op: "result", callId: readCallId(first), value: [{ name: "A", value: "1" }] });
  const firstDone = await child.receive();

  expect(secondDone.message).toEqual({ op: "done", runId: "r2" });
  expect(readOutput(secondDone)).toEqual({ mode: "two", value: "2" });
  expect(firstDone.message).toEqual({ op: "done", runId: "r1" });
  expect(readOutput(firstDone)).toEqual({ mode: "one", value: "1" });
});

test("a webhook reaches onWebhook with its payload, and an interrupted sync says so", async () => {
  await using child = new Child(runner.file);
  await child.load(`
    import { createSync } from "jackfield";
    export default createSync({
      description: "", frequency: "every hour", models: {},
      exec: async (svc) => { await svc.saveCheckpoint({ page: 2 }); throw new Error("never"); },
      onWebhook: async (svc, payload) => { await svc.log(payload.text); },
    });`);

  const log = await child.run({ kind: "webhook" }, { text: "hello" });
  expect(log.message).toMatchObject({ method: "log", params: { message: "hello" } });
  child.send({ op: "result", callId: readCallId(log), value: null });
  expect((await child.receive()).message).toEqual({ op: "done", runId: "r1" });

  const save = await child.run({ kind: "sync", softTimeoutMs: 0 }, undefined, "r2");
  expect(save.message).toMatchObject({ params: { checkpoint: { page: 2 } } });
  child.send({ op: "result", callId: readCallId(save), value: null });
  expect((await child.receive()).message).toEqual({ op: "done", runId: "r2", interrupted: true });
});

test("console output becomes log calls of the run", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`console.warn("count %d", 3, { a: 1 }); console.debug("below the level");`),
  );

  const log = await child.run();

  expect(log.message).toMatchObject({
    method: "log",
    runId: "r1",
    params: { level: "warn", message: "count 3 { a: 1 }" },
  });
  expect((await child.receive()).message).toEqual({ op: "done", runId: "r1" });
});
