import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";

const sources = fileURLToPath(new URL("../../packages/dashboard/src/", import.meta.url));

/** Attributes that people read or hear. */
const spoken = new Set([
  "aria-label",
  "alt",
  "title",
  "placeholder",
  "label",
  "text",
  "description",
]);

/** Commands and signs are the same in every language. */
const wordless = /^[^\p{L}]*$|^npx jackfield |^Ctrl K$/u;

test("what the dashboard says is in its texts, in no component", () => {
  const files = globSync("**/*.tsx", { cwd: sources });

  const literals = files.flatMap((file) => findLiterals(file));

  expect(files.length).toBeGreaterThan(20);
  expect(literals).toEqual([]);
});

function findLiterals(file: string): string[] {
  const { program } = parseSync(file, readFileSync(`${sources}${file}`, "utf8"));
  const found: string[] = [];
  const add = (text: string): void => {
    if (!wordless.test(text.trim())) found.push(`${file}: ${text.trim()}`);
  };
  new Visitor({
    JSXText: ({ value }) => add(value),
    JSXAttribute: ({ name, value }) => {
      const isSpoken = name.type === "JSXIdentifier" && spoken.has(name.name);
      if (isSpoken && value?.type === "Literal") add(String(value.value));
    },
    JSXExpressionContainer: ({ expression }) => {
      if (expression.type === "Literal" && typeof expression.value === "string") {
        if (/\s/.test(expression.value)) add(expression.value);
      }
    },
  }).visit(program);
  return found;
}
