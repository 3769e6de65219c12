import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import { declarationOf, signatureOf } from "./signature.ts";

test("a schema that multiplies by its references stays small, and compiles", () => {
  const all = (next: object) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field ${index}`, next]));
  const refer = (name: string) => ({
    type: "object",
    properties: all({ $ref: `#/$defs/${name}` }),
  });
  const many = Array.from({ length: 40 }, (_, index) => `value ${index}`);
  const schema = {
    ...refer("a"),
    $defs: { a: refer("b"), b: { type: "object", properties: all({ enum: many }) } },
  };

  const startedAt = performance.now();
  const declared = declarationOf(schema, schema);
  const line = signatureOf(schema, schema);

  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(declared.length).toBeLessThan(5_000_000);
  expect(line.length).toBeLessThan(600);
  expect(stripTypeScriptTypes(`interface Tools { call${declared}; }`).trim()).toBe("");
});

test("what is left out is `unknown` for a compiler", () => {
  const values = Array.from({ length: 30 }, (_, index) => index);
  const properties = Object.fromEntries(values.map((value) => [`f${value}`, { type: "string" }]));
  const wide = {
    type: "object",
    properties: { kind: { enum: values }, one: { type: "object", properties } },
  };

  const declared = declarationOf(wide, undefined);

  expect(declared).toContain("23 | 24 | unknown");
  expect(declared).toContain("f29?: string");
  expect(declared.endsWith("Promise<unknown>")).toBe(true);
});
