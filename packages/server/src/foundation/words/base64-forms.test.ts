import fc from "fast-check";
import { expect, test } from "vitest";
import { base64Forms } from "./base64-forms.ts";

const word = fc.string({ minLength: 8, maxLength: 60, unit: "grapheme" });
const around = fc.string({ maxLength: 50, unit: "grapheme" });

test("base64 of any text that holds a word has one of its forms, in both alphabets", () => {
  fc.assert(
    fc.property(around, word, around, (before, held, after) => {
      const bytes = Buffer.from(before + held + after);
      const forms = base64Forms(held);
      for (const encoding of ["base64", "base64url"] as const) {
        const text = bytes.toString(encoding);
        expect(forms.some((form) => text.includes(form))).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test("base64 of other texts has none", () => {
  const text = Buffer.from("lorem ipsum dolor sit amet ".repeat(50)).toString("base64");

  expect(base64Forms("ada.quay@people.example").some((form) => text.includes(form))).toBe(false);
});

test("a word that is too short to tell anything has none", () => {
  expect(base64Forms("ada")).toEqual([]);
});
