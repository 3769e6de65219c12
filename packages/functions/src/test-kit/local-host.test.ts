import { expect, test } from "vitest";
import * as z from "zod";
import { createSync, type SvcSync } from "../index.ts";
import {
  type HostCall,
  HostFailure,
  LocalHost,
  localFacts,
  runInProcess,
  toRunResult,
} from "./index.ts";

const model = z.object({
  id: z.string(),
  tags: z.array(z.string()).optional(),
  at: z.object({ a: z.number().optional(), b: z.number().optional() }).optional(),
});

async function run(
  exec: (svc: SvcSync) => Promise<void>,
  options: { metadata?: Record<string, unknown>; stored?: object[] } = {},
) {
  const calls: HostCall[] = [];
  const facts = localFacts({ kind: "sync", functionName: "things", providerConfigKey: "crm" });
  const host = new LocalHost({
    facts,
    metadata: options.metadata,
    forward: async (call) => {
      calls.push(call);
      if (call.method === "getConnection") {
        return { value: { id: 1, metadata: { real: true, kept: 1 }, credentials: {} } };
      }
      if (call.method !== "getRecords") throw new HostFailure({ type: "x", message: "unexpected" });
      const lines = (options.stored ?? []).map((record) => JSON.stringify(record)).join("\n");
      return { value: { sequences: [1], hasMore: false }, body: new TextEncoder().encode(lines) };
    },
  });
  const definition = createSync({
    description: "",
    frequency: "every hour",
    models: { Thing: model },
    exec,
  });
  const end = await runInProcess(definition, { facts, host });
  return { result: toRunResult(host, end), calls, notes: host.state.notes };
}

test("keeps what a run writes, the last state of each record", async () => {
  const { result, calls } = await run(async (svc) => {
    await svc.batchSave([{ id: "1" }, { id: "2" }], "Thing");
    await svc.batchSave([{ id: "1", tags: ["x"] }], "Thing");
    await svc.batchDelete([{ id: "2" }, { id: "3" }], "Thing");
    await svc.saveCheckpoint({ page: 2 });
  });

  expect(result).toEqual({
    records: { Thing: { saved: [{ id: "1", tags: ["x"] }], updated: [], deleted: ["2", "3"] } },
    checkpoint: { page: 2 },
  });
  expect(calls).toEqual([]);
});

test("merges updates into what is stored and into what the run has saved", async () => {
  const { result, calls } = await run(
    async (svc) => {
      await svc.batchSave([{ id: "own", at: { a: 1 } }], "Thing");
      await svc.batchUpdate(
        [
          { id: "own", at: { b: 2 } },
          { id: "stored", tags: ["new"] },
        ],
        "Thing",
      );
    },
    { stored: [{ id: "stored", at: { a: 7 }, _svc_metadata: { deleted_at: null } }] },
  );

  expect(result.records?.["Thing"]?.updated).toEqual([
    { id: "own", at: { a: 1, b: 2 } },
    { id: "stored", at: { a: 7 }, tags: ["new"] },
  ]);
  expect(calls.map(({ params }) => params)).toEqual([{ model: "Thing", ids: ["stored"] }]);
});

test("lays changes of metadata over the connection's own, or over the given ones", async () => {
  const seen: unknown[] = [];
  const exec = async (svc: SvcSync) => {
    await svc.updateMetadata({ added: 2 });
    seen.push(await svc.getMetadata());
  };

  const real = await run(exec);
  await run(exec, { metadata: { given: true } });

  expect(seen).toEqual([
    { real: true, kept: 1, added: 2 },
    { given: true, added: 2 },
  ]);
  expect(real.result.metadata).toEqual({ added: 2 });
});

test("tells what a dry run does not do", async () => {
  const { notes, result } = await run(async (svc) => {
    await svc.trackDeletesStart("Thing");
    await svc.batchSave([{ id: "1" }], "Thing");
    expect(await svc.trackDeletesEnd("Thing")).toEqual({ deletedKeys: [] });
    await svc.triggerSync("crm", "c", "others");
    expect(await svc.tryAcquireLock({ key: "k", ttlMs: 1000 })).toBe(true);
  });

  expect(result.error).toBeUndefined();
  expect([...notes].join("\n")).toMatch(/deletes are not tracked[\s\S]*triggerSync did nothing/);
});

test("a record that does not fit its schema ends the run", async () => {
  const { result } = await run(async (svc) => {
    await svc.batchSave([{ id: "1", tags: "none" }], "Thing");
  });

  expect(result.error?.message).toContain("do not match the schema of model Thing");
});
