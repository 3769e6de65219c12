import { expect, test } from "vitest";
import { fieldsOf, schemaOf } from "./json-schema.ts";

const whole = {
  definitions: {
    Input: {
      type: "object",
      required: ["name", "tone"],
      properties: {
        name: { type: "string", description: "Who" },
        age: { type: "integer" },
        loud: { type: "boolean" },
        tone: { enum: ["warm", "cold"] },
        fixed: { const: 1 },
        tags: { type: "array", items: { $ref: "#/definitions/Tag" } },
        tag: { $ref: "#/definitions/Tag" },
        either: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
    },
    Tag: { type: "string", description: "A word" },
    Loop: { $ref: "#/definitions/Loop" },
    List: { type: "array" },
  },
};

test("a form has a control for each field that it knows, and an editor for the others", () => {
  const fields = fieldsOf(whole, schemaOf(whole, "Input"));

  const shown = fields.map(({ name, type, control, isNeeded }) => [name, type, control, isNeeded]);
  expect(shown).toEqual([
    ["name", "string", "text", true],
    ["age", "integer", "number", false],
    ["loud", "boolean", "switch", false],
    ["tone", '"warm" | "cold"', "choice", true],
    ["fixed", "any", "json", false],
    ["tags", "string[]", "json", false],
    ["tag", "string", "text", false],
    ["either", "string | null", "json", false],
  ]);
  expect(fields.find(({ name }) => name === "tag")?.description).toBe("A word");
});

test.each(["Loop", "List", "Missing", undefined])("%s is no schema with fields", (name) => {
  expect(fieldsOf(whole, schemaOf(whole, name))).toEqual([]);
});
