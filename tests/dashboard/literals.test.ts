import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { flatNames } from "../../packages/node/src/deprecated/flat-names.ts";
import { positionalMethods } from "../../packages/node/src/deprecated/positional-methods.ts";

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

test("the commands that it shows exist", () => {
  const pages = readFileSync(fileURLToPath(new URL("../../docs/cli.md", import.meta.url)), "utf8");
  const files = globSync("dashboard/src/**/*.{ts,tsx}", { cwd: packages });
  const commands = files.flatMap((file) =>
    [
      ...readFileSync(`${packages}${file}`, "utf8").matchAll(
        /cliOf\(\s*\[?["`]([a-z-]+(?: [a-z]+(?=[ "`]))?)/g,
      ),
    ].map(([, command = ""]) => command),
  );

  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter((command) => !pages.includes(`jackfield ${command}`))).toEqual([]);
});

test("it shows no method of the client for Node that is deprecated", () => {
  const files = globSync("dashboard/src/**/*.{ts,tsx}", { cwd: packages });

  const shown = files.flatMap((file) =>
    [...readFileSync(`${packages}${file}`, "utf8").matchAll(/["`](\w+)\(/g)].flatMap(
      ([, name = ""]) => (isDeprecated(name) ? [`${file}: ${name}`] : []),
    ),
  );

  expect(shown).toEqual([]);
});

function isDeprecated(name: string): boolean {
  return Object.hasOwn(flatNames, name) || Object.hasOwn(positionalMethods, name);
}

/** A button that is only disabled does not say why: the button's own `scope` does. */
test("a button that needs a scope says so where it cannot be pressed", () => {
  const files = globSync("dashboard/src/**/*.tsx", { cwd: packages });

  const mute = files.filter((file) =>
    /is(Disabled|Forbidden)=\{[^}]*!(may|can|holdsScope)/.test(
      readFileSync(`${packages}${file}`, "utf8"),
    ),
  );

  expect(mute).toEqual([]);
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
