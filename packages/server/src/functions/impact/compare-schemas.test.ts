import { expect, test } from "vitest";
import * as z from "zod";
import { findMisfits, TooLargeToCompare } from "./compare-schemas.ts";

function asWritten(schema: z.ZodType) {
  return {
    schema: z.toJSONSchema(schema, { target: "draft-7", io: "input" }),
    definitions: {},
  };
}

function misfits(from: z.ZodType, to: z.ZodType): string[] {
  return findMisfits(asWritten(from), asWritten(to)).map(({ path, kind }) => `${path} ${kind}`);
}

const name = z.string();

test.each([
  ["the same", z.object({ name }), z.object({ name }), []],
  [
    "a new required property",
    z.object({ name }),
    z.object({ name, age: z.int() }),
    ["age required"],
  ],
  [
    "one that is required now",
    z.object({ name: name.optional() }),
    z.object({ name }),
    ["name required"],
  ],
  ["one that is optional now", z.object({ name }), z.object({ name: name.optional() }), []],
  [
    "one that a strict object no longer has",
    z.strictObject({ name, age: z.int() }),
    z.strictObject({ name }),
    ["age unknown"],
  ],
  [
    "one that a loose object no longer has",
    z.object({ name, age: z.int() }),
    z.object({ name }),
    [],
  ],
  ["integers for numbers", z.object({ n: z.number() }), z.object({ n: z.int() }), ["n type"]],
  [
    "another type deep within",
    z.object({ a: z.array(z.object({ b: name })) }),
    z.object({ a: z.array(z.object({ b: z.boolean() })) }),
    ["a[].b type"],
  ],
  ["null", z.object({ name: name.nullable() }), z.object({ name }), ["name type"]],
  ["a value less", z.enum(["a", "b"]), z.enum(["a"]), [" values"]],
  ["a value more", z.enum(["a"]), z.enum(["a", "b"]), []],
  ["values for texts", name, z.enum(["a"]), [" values"]],
  ["texts for values", z.enum(["a"]), name, []],
  ["a choice less", z.union([name, z.boolean()]), name, [" type"]],
  ["a choice more", name, z.union([name, z.boolean()]), []],
  ["a tighter bound", z.string().max(20), z.string().max(10), [" bounds"]],
  ["a bound where there was none", z.array(name), z.array(name).min(1), [" bounds"]],
  ["a wider bound", z.string().max(10), z.string().max(20), []],
  ["a format", name, z.email(), [" format", " format"]],
  ["values of a record", z.record(name, z.number()), z.record(name, name), ["* type"]],
] as const)("%s", (_name, from, to, expected) => {
  expect(misfits(from, to)).toEqual(expected);
});

test("recursive schemas are compared once around", () => {
  const tree = (value: object) => ({
    schema: { $ref: "#/definitions/Tree" },
    definitions: {
      Tree: {
        type: "object",
        properties: { value, children: { type: "array", items: { $ref: "#/definitions/Tree" } } },
      },
    },
  });

  expect(findMisfits(tree({ type: "integer" }), tree({ type: "number" }))).toEqual([]);
  expect(findMisfits(tree({ type: "number" }), tree({ type: "integer" }))).toEqual([
    { path: "value", kind: "type", what: "number" },
  ]);
});

test("references in circles, into nothing and to inherited names end", () => {
  const given = (pointer: string) => ({
    schema: { $ref: `#/definitions/${pointer}` },
    definitions: { A: { $ref: "#/definitions/B" }, B: { $ref: "#/definitions/A" } },
  });

  for (const pointer of ["A", "nothing", "__proto__", "constructor/prototype"]) {
    expect(findMisfits(given(pointer), given("A"))).toEqual([]);
  }
});

test("choices of choices of choices are given up, and soon", () => {
  const grow = (depth: number): object =>
    depth === 0
      ? { type: "string", maxLength: 1 }
      : {
          anyOf: Array.from({ length: 6 }, () => ({
            type: "object",
            required: ["a"],
            properties: { a: grow(depth - 1) },
          })),
        };
  const wide = { schema: grow(5), definitions: {} };
  const tight = {
    schema: JSON.parse(JSON.stringify(grow(5)).replaceAll('"maxLength":1', '"maxLength":0')),
    definitions: {},
  };

  expect(() => findMisfits(wide, tight)).toThrow(TooLargeToCompare);
});
