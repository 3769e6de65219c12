import { expect, test } from "vitest";
import { signatureOf, typescriptOf } from "./signature.ts";

test("a schema is a line of TypeScript, with references, unions, lists and optional fields", () => {
  const input = {
    type: "object",
    properties: {
      email: { type: "string" },
      kind: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: ["string", "null"] } },
      owner: { $ref: "#/definitions/Owner" },
      "odd name": { type: "integer" },
    },
    required: ["email"],
    definitions: { Owner: { type: "object", properties: { id: { const: 1 } } } },
  };
  const output = { type: "object", properties: { id: { oneOf: [{ type: "number" }, {}] } } };

  expect(signatureOf(input, output)).toBe(
    '(input: { email: string; kind?: "a" | "b"; tags?: (string | null)[]; owner?: { id?: 1 }; "odd name"?: number }) => { id?: number | unknown }',
  );
});

test("a line stays short and a type stays small, also of schemas that point at themselves", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [`f${n}`, { $ref: "#/definitions/Self" }]),
  );
  const anyOf = Array.from({ length: 500 }, () => ({ $ref: "#/definitions/Self" }));
  const schema = { type: "object", properties: wide };
  const within = { ...schema, definitions: { Self: { anyOf } } };
  const looped = { $ref: "#/definitions/A", definitions: { A: { $ref: "#/definitions/A" } } };

  expect(signatureOf(within, undefined).length).toBeLessThanOrEqual(260);
  expect(typescriptOf(within).length).toBeLessThan(200_000);
  expect(typescriptOf(looped)).toBe("object");
});
