import { expect, test } from "vitest";
import * as z from "zod";
import { testRun } from "../testing/test-run.ts";

const Contact = z.object({
  id: z.string(),
  email: z.email().nullable().optional(),
  lines: z.array(z.object({ price: z.number() })).optional(),
  byAddress: z.record(z.string(), z.number()).optional(),
});

const validation = { input: "off", output: "off", metadata: "off", checkpoint: "off" } as const;

function quarantining(facts: object = {}) {
  return testRun({
    schemas: { models: { Contact }, onInvalidRecord: "quarantine" },
    facts: { validation: { ...validation, records: "warn" }, ...facts },
  });
}

async function reasonsOf(records: readonly object[]) {
  const { svc, calls } = quarantining();
  // @ts-expect-error what does not match the type is what is tried
  await svc.batchSave(records, "Contact");
  const [call] = calls.filter(({ method }) => method === "quarantineRecords");
  return call?.params["reasons"];
}

test("what does not match goes to the quarantine, the rest is saved", async () => {
  const { svc, calls } = quarantining();

  await svc.batchSave([{ id: "a" }, { id: "b", email: 7 }], "Contact");

  expect(calls.map(({ method }) => method)).toEqual(["quarantineRecords", "log", "batchSave"]);
  expect(calls[0]?.params).toEqual({
    model: "Contact",
    ids: ["b"],
    reasons: [{ pointer: "/email", code: "invalid_type", expected: "string", received: "number" }],
    reasonOf: [0],
    samples: ["b"],
  });
  expect(calls[0]?.body).toBe('{"email":7,"id":"b"}');
  expect(calls[2]?.params["ids"]).toEqual(["a"]);
});

test("a reason names places and types, and never what looks like data", async () => {
  const reasons = await reasonsOf([
    { id: "1", lines: [{ price: 1 }, { price: "2" }] },
    { id: "2", lines: [{ price: "3" }] },
    { id: "3", byAddress: { "ada@example.com": "x" } },
    { id: "4", byAddress: { "49151234567": "x" } },
    { id: "5", email: "no address" },
    { id: "6", lines: null },
  ]);

  expect(reasons).toEqual([
    { pointer: "/lines/*/price", code: "invalid_type", expected: "number", received: "string" },
    { pointer: "/byAddress/*", code: "invalid_type", expected: "number", received: "string" },
    { pointer: "/email", code: "invalid_format", expected: "email", received: "string" },
    { pointer: "/lines", code: "invalid_type", expected: "array", received: "null" },
  ]);
});

test("a record that cannot be written as JSON is counted without a sample", async () => {
  const { svc, calls } = quarantining();

  await svc.batchSave([{ id: "a", email: 1n }], "Contact");

  expect(calls[0]).toMatchObject({
    method: "quarantineRecords",
    params: { samples: [] },
    body: "",
  });
});

test("10,000 records go in ten calls of at most 50 reasons and 100 samples", async () => {
  const { svc, calls } = quarantining();
  const records = Array.from({ length: 10_000 }, (_, n) => ({
    id: `${n}`,
    byAddress: { [`key${n}`]: "x" },
  }));

  await svc.batchSave(records, "Contact");

  const sent = calls.filter(({ method }) => method === "quarantineRecords");
  expect(sent.map(({ params }) => Object(params["ids"]).length)).toEqual(Array(10).fill(1000));
  expect(Math.max(...sent.map(({ params }) => Object(params["reasons"]).length))).toBe(50);
  expect(Math.max(...sent.map(({ params }) => Object(params["samples"]).length))).toBe(54);
  expect(calls.some(({ method }) => method === "batchSave")).toBe(false);
});

test("a dry run quarantines nothing and does as it was asked to", async () => {
  const { svc, calls } = quarantining({ isDryRun: true });

  await svc.batchSave([{ id: "a", email: 7 }], "Contact");

  expect(calls.map(({ method }) => method)).toEqual(["log", "batchSave"]);
});
