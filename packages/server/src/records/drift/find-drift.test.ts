import { expect, test } from "vitest";
import * as z from "zod";
import { expectField } from "./expected-fields.ts";
import { findDrift } from "./find-drift.ts";
import { addSample, type FieldSample, newProfile } from "./profile.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS;
const START = 3000 * WEEK_MS;

const Address: z.ZodType = z.lazy(() => z.object({ city: z.string(), next: Address.optional() }));
const Contact = z.object({
  id: z.string(),
  name: z.string().nullable(),
  kind: z.enum(["a", "b"]).optional(),
  amount: z.union([z.number(), z.string()]),
  lines: z.array(z.object({ price: z.number() })),
  more: z.record(z.string(), z.boolean()),
  any: z.any(),
  address: Address,
});

function toSchemas(schema: z.ZodType) {
  const { definitions, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
  return [{ schema: rest, definitions: Object(definitions) }];
}

test.each([
  ["/name", true, ["null", "string"]],
  ["/kind", true, ["string"]],
  ["/amount", true, ["number", "string"]],
  ["/lines", true, ["array"]],
  ["/lines/*/price", true, ["number"]],
  ["/lines/*/tax", false, undefined],
  ["/more/*", true, ["boolean"]],
  ["/more/beta", true, ["boolean"]],
  ["/any", true, undefined],
  ["/any/below/*", true, undefined],
  ["/address/next/next/city", true, ["string"]],
  ["/address/zip", false, undefined],
  ["/constructor", false, undefined],
  ["/__proto__", false, undefined],
] as const)("the schema says of %s whether it names it and of which type", (at, isNamed, types) => {
  const found = expectField(toSchemas(Contact), at);

  expect(found.isNamed).toBe(isNamed);
  expect(found.types && [...found.types].toSorted()).toEqual(types);
});

test("a schema without end is given up and says that anything is right", () => {
  const grow = (depth: number): object =>
    depth === 0
      ? { type: "object" }
      : { anyOf: Array.from({ length: 6 }, () => ({ allOf: [grow(depth - 1)] })) };

  const found = expectField([{ schema: grow(6), definitions: {} }], "/a/b");

  expect(found.isNamed).toBe(true);
});

/** Records of which some have a field of a type. */
function sampleOf(records: number, types: Partial<Record<FieldSample[number]["type"], number>>) {
  const fields = Object.entries(types).map(([type, count]) => ({ pointer: "/name", type, count }));
  const all = [{ pointer: "", type: "object", count: records }, ...fields];
  return all as FieldSample;
}

function driftOf(samples: readonly [FieldSample, number][]) {
  const profile = newProfile();
  for (const [sample, afterMs] of samples) addSample(profile, sample, START + afterMs);
  const [field] = findDrift(profile, (pointer) => expectField(toSchemas(Contact), pointer));
  return field;
}

test("a type that the schema excludes, and that came later, has both findings and its own times", () => {
  const field = driftOf([
    [sampleOf(10, { string: 10 }), 0],
    [sampleOf(10, { number: 10 }), DAY_MS],
  ]);

  expect(field?.findings).toEqual(["unexpected_type", "type_changed"]);
  expect(field?.types.map(({ type, total, firstMs }) => [type, total, firstMs - START])).toEqual([
    ["string", 10, 0],
    ["number", 10, DAY_MS],
  ]);
});

test("shares of null are of the week and the one before, and a change counts with enough samples", () => {
  const steady = driftOf([
    [sampleOf(100, { string: 90, null: 10 }), 0],
    [sampleOf(100, { string: 80, null: 20 }), WEEK_MS],
  ]);
  const changed = driftOf([
    [sampleOf(100, { string: 90, null: 10 }), 0],
    [sampleOf(100, { string: 50, null: 30 }), WEEK_MS],
  ]);
  const few = driftOf([
    [sampleOf(4, { string: 4 }), 0],
    [sampleOf(4, { null: 4 }), WEEK_MS],
  ]);
  const paused = driftOf([
    [sampleOf(100, { string: 100 }), 0],
    [sampleOf(100, { null: 100 }), 3 * WEEK_MS],
  ]);

  expect(steady).toMatchObject({ findings: [], nullShare: 0.2, nullShareBefore: 0.1 });
  expect(changed).toMatchObject({
    ...{ findings: ["nulls_changed"], nullShare: 0.3, nullShareBefore: 0.1, missingShare: 0.2 },
  });
  expect(few?.findings).toEqual([]);
  expect(paused).toMatchObject({ findings: [], nullShareBefore: undefined });
});

test("a profile follows 200 fields, says that there are more, and forgets what has not come for 90 days", () => {
  const profile = newProfile();
  const many = Array.from({ length: 300 }, (_, n) => ({
    ...{ pointer: `/f${n}`, type: "string" as const, count: 1 },
  }));
  addSample(profile, many, START);
  const full = [Object.keys(profile.fields).length, profile.isCut];
  addSample(profile, [{ pointer: "/new", type: "null", count: 1 }], START + 91 * DAY_MS);

  expect(full).toEqual([200, true]);
  expect(Object.keys(profile.fields)).toEqual(["/new"]);
});
