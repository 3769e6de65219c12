import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { findMisfits } from "../../packages/server/src/functions/impact/compare-schemas.ts";

// A plan that calls a change compatible is right, by the validator of somebody else.

const leaf = fc.oneof(
  fc.constantFrom<z.ZodType>(z.string(), z.number(), z.int(), z.boolean(), z.null()),
  fc.integer({ min: 0, max: 3 }).map((n) => z.string().max(n)),
  fc.integer({ min: 0, max: 3 }).map((n) => z.string().min(n)),
  fc.integer({ min: 0, max: 5 }).map((n) => z.number().max(n)),
  fc.integer({ min: 0, max: 2 }).map((n) => z.literal(n)),
  fc.subarray(["a", "bb", "ccc"], { minLength: 1 }).map((values) => z.enum(values)),
);

const { schema } = fc.letrec<{ schema: z.ZodType; field: z.ZodType }>((tie) => ({
  field: fc
    .tuple(tie("schema"), fc.boolean())
    .map(([inner, isOptional]) => (isOptional ? inner.optional() : inner)),
  schema: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.tuple(tie("field"), tie("field")).map(([a, b]) => z.strictObject({ a, b })),
    fc.tuple(tie("field"), tie("field")).map(([a, c]) => z.strictObject({ a, c })),
    tie("schema").map((inner) => z.array(inner)),
    tie("schema").map((inner) => z.array(inner).max(1)),
    fc.tuple(tie("schema"), tie("schema")).map(([one, other]) => z.union([one, other])),
    tie("schema").map((inner) => inner.nullable()),
    tie("schema").map((inner) => z.record(z.string(), inner)),
  ),
}));

const leaves = ["", "a", "bb", "ccc", "dddd", 0, 1, 2, 4, 9, -1, 1.5, true, null];
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(...leaves),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.record({ a: tie("value"), b: tie("value"), c: tie("value") }, { requiredKeys: [] }),
  ),
}));

/** Two that have to do with each other more often than not. */
const pair = fc
  .tuple(schema, schema, schema)
  .chain(([one, other, third]) =>
    fc.constantFrom<[z.ZodType, z.ZodType]>(
      [one, other],
      [one, one.nullable()],
      [one, z.union([other, one])],
      [z.strictObject({ a: one }), z.strictObject({ a: one.optional(), b: other.optional() })],
      [z.array(z.union([one, other])), z.array(z.union([other, third, one]))],
      [z.record(z.string(), one), z.object({ a: other.optional() }).catchall(one)],
    ),
  );

test("what a change is said to take still is taken, for any two schemas", () => {
  const ajv = new Ajv({ strict: false });
  const write = (given: z.ZodType) => z.toJSONSchema(given, { target: "draft-7", io: "input" });
  let taken = 0;

  fc.assert(
    fc.property(
      pair,
      fc.array(value, { minLength: 100, maxLength: 100 }),
      ([one, other], values) => {
        const [from, to] = [write(one), write(other)];
        const definitions = {};
        if (findMisfits({ schema: from, definitions }, { schema: to, definitions }).length > 0)
          return;
        const isFrom = ajv.compile(from);
        const sent = values.filter((each) => isFrom(each));
        taken += sent.length;
        expect(sent.filter((each) => !ajv.validate(to, each))).toEqual([]);
      },
    ),
    { numRuns: 3000, seed: 7 },
  );

  expect(taken).toBeGreaterThan(1000);
});
