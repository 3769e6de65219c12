import { expect, test } from "vitest";
import * as z from "zod";
import { isBounded } from "../bounded.ts";
import { LARGEST_MESSAGE, limitsOfMessage } from "./frame-limits.ts";
import { FRAME_LIMITS } from "./frames.ts";
import { fromChild, runtimeMethods } from "./runtime.ts";

/** Every part of a schema that may hold more than a fixed number of bytes. */
function findUnbounded(schema: z.ZodType, path: string): string[] {
  if (isBounded(schema)) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return findUnbounded(asType(schema.unwrap()), path);
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, member]) =>
      findUnbounded(asType(member), `${path}.${name}`),
    );
  }
  if (schema instanceof z.ZodTuple) {
    return schema.def.items.flatMap((item, index) =>
      findUnbounded(asType(item), `${path}.${index}`),
    );
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((option) => findUnbounded(asType(option), path));
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) {
    const hasPattern = schema instanceof z.ZodString && schema.format === "regex";
    return schema.maxLength === null && !hasPattern ? [path] : [];
  }
  const isFixed = [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodNull].some(
    (kind) => schema instanceof kind,
  );
  return isFixed ? [] : [`${path} (${schema.def.type})`];
}

// The parts of zod's own schemas are typed by their core.
function asType(schema: unknown): z.ZodType {
  return schema as z.ZodType;
}

const sent = Object.entries(runtimeMethods).map(([name, { params }]) => [name, params] as const);

test.each(sent)("what a function sends as parameters of %s is bounded", (name, params) => {
  expect(findUnbounded(params, name)).toEqual([]);
});

test("every other message of a function's process is bounded", () => {
  expect(fromChild.options.flatMap((option) => findUnbounded(option, "message"))).toEqual([]);
});

test("the check finds what has no bound", () => {
  const loose = z.object({
    text: z.string(),
    list: z.array(z.string().max(1)),
    table: z.record(z.string(), z.number()),
    any: z.unknown(),
    fine: z.string().max(3).optional(),
    nested: z.object({ text: z.string().nullable() }),
  });

  expect(findUnbounded(loose, "x")).toEqual([
    "x.text",
    "x.list (array)",
    "x.table (record)",
    "x.any (unknown)",
    "x.nested.text",
  ]);
});

test("a message of each method has limits of its own, and all fit the channel", () => {
  for (const method of Object.keys(runtimeMethods)) {
    const { headBytes, values, bodyBytes } = limitsOfMessage("call", method);
    expect(headBytes).toBeLessThanOrEqual(LARGEST_MESSAGE.headBytes);
    expect(values).toBeLessThanOrEqual(LARGEST_MESSAGE.values);
    expect(bodyBytes).toBeLessThanOrEqual(FRAME_LIMITS.bodyBytes);
  }
  expect(limitsOfMessage("call", "getCheckpoint")).toMatchObject({ values: 40, bodyBytes: 0 });
  expect(limitsOfMessage("call", "__proto__").headBytes).toBeLessThan(16 * 1024);
  expect(LARGEST_MESSAGE.headBytes).toBeLessThan(2 * 1024 * 1024);
});

test.each([
  ["batchSave", { model: "A", ids: Array.from({ length: 1000 }, () => 7) }],
  ["proxy", { query: Array.from({ length: 1000 }, () => [1]), headers: { a: 1, b: 2 } }],
  ["saveCheckpoint", { checkpoint: Object.fromEntries([..."abcdefghij"].map((n) => [n, {}])) }],
])("of a %s with many faults few are found", (method, params) => {
  const schema = Object.entries(runtimeMethods).find(([name]) => name === method)?.[1].params;

  const result = schema?.safeParse(params);

  expect(result?.success).toBe(false);
  expect(result?.error?.issues.length).toBeLessThanOrEqual(12);
});
