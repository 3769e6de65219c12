import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import document from "../../packages/contract/openapi.json" with { type: "json" };

const folder = fileURLToPath(new URL("../../packages/dashboard/src/", import.meta.url));
const files = globSync("**/*.tsx", { cwd: folder }).map((name) => ({
  name,
  text: readFileSync(`${folder}${name}`, "utf8"),
}));

/** Forms that do not show what the server says of their values by `ApiForm`, and why. */
const others: Readonly<Record<string, string>> = {
  "parts/forms/api-form.tsx": "is ApiForm",
  "parts/filters/moment-filter.tsx": "changes the address of the page",
  "parts/filters/period-select.tsx": "changes the address of the page",
  "screens/connections/tag-filter.tsx": "changes the address of the page",
  "shell/step-up/proofs.tsx": "several ways to prove who one is share one banner",
  "screens/profile/totp-card.tsx": "the code is verified by several calls with one banner",
  "screens/profile/passkeys-card.tsx": "the browser asks between two calls",
  "screens/access/sign-in-screen.tsx": "whether a code is asked for depends on the error",
  "screens/toolsets/editor/toolset-editor.tsx": "a draft of many parts, with a fault at each",
  "screens/custom-providers/entry-editor.tsx": "is verified while it is typed",
};

/** Fields of forms that send something else than the field's text. */
const computed = new Set(["now", "variable-name", "toolset-name"]);

test("every form shows what is wrong with a value at its field", () => {
  const own = files.filter(({ text }) => text.includes('"react-aria-components/Form"'));

  expect(own.map(({ name }) => name).toSorted()).toEqual(Object.keys(others).toSorted());
});

test("every field of a form is named after its value, or the form says which it is", () => {
  const known = new Set(namesIn(document));
  const forms = files.filter(({ text }) => /<(?:ApiForm|SaveForm)\b/.test(text));

  const unknown = forms.flatMap(({ name: file, text }) =>
    fieldsOf(text)
      .filter((field) => !computed.has(field))
      .filter(
        (field) => pathsOf(text)[field] === undefined && !known.has(field.replaceAll("-", "_")),
      )
      .map((field) => `${file}: ${field}`),
  );

  expect(forms.length).toBeGreaterThan(15);
  expect(unknown).toEqual([]);
});

test("paths of values name values that calls have", () => {
  const known = new Set(namesIn(document));

  const paths = files.flatMap(({ text }) => Object.values(pathsOf(text)));
  const unknown = paths.filter((path) => !path.split(".").every((step) => known.has(step)));

  expect(paths.length).toBeGreaterThan(20);
  expect(unknown).toEqual([]);
});

/** Names of the properties of every schema in the API's description; those of tags are free. */
function namesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const properties = Object.keys(Object(Object(value).properties));
  return [...freeNames, ...properties, ...Object.values(value).flatMap(namesIn)];
}

const freeNames = ["end_user_id", "end_user_display_name"];

const fields = /<(?:TextInput|LinesInput|ChoiceInput|ToggleInput)\b[^>]*?\bname="(?<name>[^"]+)"/g;

function fieldsOf(text: string): string[] {
  return [...text.matchAll(fields)].map(({ groups }) => groups?.["name"] ?? "");
}

/** What `valuePaths` and its like of a file say, by the field's name. */
function pathsOf(text: string): Record<string, string> {
  const maps = text.matchAll(/const \w+Paths = \{(?<entries>[^}]*)\}/g);
  const entries = [...maps].flatMap(({ groups }) => [
    ...(groups?.["entries"] ?? "").matchAll(/"?(?<field>[\w-]+)"?: "(?<path>[^"]+)"/g),
  ]);
  return Object.fromEntries(
    entries.map(({ groups }) => [groups?.["field"] ?? "", groups?.["path"] ?? ""]),
  );
}
