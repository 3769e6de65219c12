import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

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

test.each([
  ["dashboard", 20],
  ["connect-ui", 10],
  ["ui", 3],
])("what %s says is in its texts, in no component", (name, least) => {
  const files = globSync(`${name}/src/**/*.tsx`, { cwd: packages });

  const literals = files.flatMap((file) => findLiterals(file));

  expect(files.length).toBeGreaterThan(least);
  expect(literals).toEqual([]);
});

function findLiterals(file: string): string[] {
  const { program } = parseSync(file, readFileSync(`${packages}${file}`, "utf8"));
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
