import { expect, test } from "vitest";
import * as z from "zod";
import { testRun } from "../testing/test-run.ts";

const models = { Contact: z.object({ id: z.string(), name: z.string() }) };

test("saves canonical lines without the server's metadata and leaves the records alone", async () => {
  const { svc, calls } = testRun({ schemas: { models } });
  const record = { name: "Al", id: "a\0b", at: new Date(0), _svc_metadata: { cursor: "x" } };
  const given = structuredClone(record);

  expect(
    await svc.batchSave([record, { id: "c", name: "x\0\ud800", n: Number.NaN }], "Contact"),
  ).toBe(true);

  expect(record).toEqual(given);
  expect(calls[0]?.params).toMatchObject({ model: "Contact", ids: ["ab", "c"] });
  expect(calls[0]?.body.split("\n")).toEqual([
    '{"at":"1970-01-01T00:00:00.000Z","id":"ab","name":"Al"}',
    '{"id":"c","n":null,"name":"x\ufffd"}',
  ]);
});

test("splits into chunks of 1000, in order", async () => {
  const { svc, calls } = testRun({ schemas: { models } });
  const records = Array.from({ length: 2001 }, (_, index) => ({ id: `${index}`, name: "" }));

  await svc.batchSave(records, "Contact");
  await svc.batchDelete(records, "Contact");

  expect(calls.map(({ method, params }) => [method, Object(params["ids"]).length])).toEqual([
    ["batchSave", 1000],
    ["batchSave", 1000],
    ["batchSave", 1],
    ["batchDelete", 1000],
    ["batchDelete", 1000],
    ["batchDelete", 1],
  ]);
});

test("splits large records before they fill the channel", async () => {
  const { svc, calls } = testRun({ schemas: { models } });
  const name = "x".repeat(6 * 1024 * 1024);

  await svc.batchSave(
    ["a", "b", "c"].map((id) => ({ id, name })),
    "Contact",
  );

  expect(calls.map(({ params }) => params["ids"])).toEqual([["a", "b"], ["c"]]);
});

test("nothing to save is no call", async () => {
  const { svc, calls } = testRun({ schemas: { models } });

  expect(await svc.batchSave([], "Contact")).toBe(true);
  expect(await svc.batchSave(undefined, "Contact")).toBe(true);
  expect(await svc.batchDelete(null, "Contact")).toBe(true);
  expect(calls).toEqual([]);
});

test("of records with the same id the last is saved, with a warning", async () => {
  const { svc, calls } = testRun({ schemas: { models } });

  await svc.batchSave(
    [
      { id: "a", name: "first" },
      { id: "b", name: "" },
      { id: "a", name: "last" },
    ],
    "Contact",
  );

  expect(calls[0]).toMatchObject({
    method: "log",
    params: { level: "warn", meta: { ids: ["a"] } },
  });
  expect(calls[1]?.body).toBe('{"id":"a","name":"last"}\n{"id":"b","name":""}');
});

test.each([
  [{ id: "" }, "no usable id"],
  [{ id: 0 }, "no usable id"],
  [{}, "no usable id"],
  [{ id: "\0" }, "no usable id"],
  [{ id: "x".repeat(256) }, "no usable id"],
  [{ id: 2 ** 53 }, "give ids as strings"],
  [null, "is not an object"],
])("refuses the record %j and saves nothing of its call", async (record, message) => {
  const { svc, calls } = testRun({ schemas: { models } });

  // @ts-expect-error authors may come without types
  const saved = svc.batchSave([{ id: "ok", name: "" }, record], "Contact");

  await expect(saved).rejects.toThrow(message);
  expect(calls).toEqual([]);
});

test("a value that JSON lacks is refused with the record's id", async () => {
  const { svc } = testRun({ schemas: { models } });

  const saved = svc.batchSave([{ id: "a", big: 1n }], "Contact");

  await expect(saved).rejects.toThrow('Record "a" cannot be written as JSON');
});

test("a number is an id, written as text", async () => {
  const { svc, calls } = testRun({ schemas: { models } });

  await svc.batchDelete([{ id: 7 }, { id: "7" }, { id: -1.5 }], "Contact");

  expect(calls[0]?.params["ids"]).toEqual(["7", "-1.5"]);
});

test("records are deleted at their own time, where they have one", async () => {
  const { svc, calls } = testRun({ schemas: { models } });
  const time = "2026-01-02T03:04:05.000Z";

  await svc.batchDelete([{ id: "a", deletedAt: new Date(time) }, { id: "b" }], "Contact");
  const broken = svc.batchDelete([{ id: "c", deletedAt: "yesterday" }], "Contact");

  expect(calls[0]?.params["deletedAt"]).toEqual([time, null]);
  await expect(broken).rejects.toThrow("Record 1 has no usable deletedAt");
});

test("a model that the sync does not declare is refused", async () => {
  const { svc } = testRun({ schemas: { models } });

  await expect(svc.batchSave([{ id: "a" }], "constructor")).rejects.toThrow("its models: Contact");
});

test("records that do not fit their schema warn once or fail, as the environment says", async () => {
  const validation = { input: "off", output: "off", metadata: "off", checkpoint: "off" } as const;
  const warning = testRun({
    schemas: { models },
    facts: { validation: { ...validation, records: "warn" } },
  });
  const failing = testRun({
    schemas: { models },
    facts: { validation: { ...validation, records: "fail" } },
  });
  const records = [{ id: "a" }, { id: "b", name: "ok" }, { id: "c", name: 1 }];

  await warning.svc.batchSave(records, "Contact");

  expect(warning.calls.map(({ method }) => method)).toEqual(["log", "batchSave"]);
  expect(warning.calls[0]?.params["message"]).toContain("2 of 3 records");
  await expect(failing.svc.batchSave(records, "Contact")).rejects.toThrow('Record "a": name:');
  expect(failing.calls).toEqual([]);
});
