import { expect, test } from "vitest";
import { compileProject } from "./compile-project.ts";
import { formatDiagnostic } from "./diagnostic.ts";
import { addAction, contactsSync, newProject } from "./project-fixture.ts";

const skipTypeCheck = true;

test("compiles every function that index.ts imports", async () => {
  const root = newProject({
    "index.ts": `import "./crm/syncs/contacts.js";\nimport './crm/actions/add.js';\n`,
    "crm/syncs/contacts.ts": contactsSync,
    "crm/actions/add.ts": addAction,
    "crm/actions/forgotten.ts": addAction,
  });

  const project = await compileProject(root);

  expect(project.errors).toEqual([]);
  expect(
    project.functions.map((one) => [one.integrationId, one.functionName, one.description.type]),
  ).toEqual([
    ["crm", "contacts", "sync"],
    ["crm", "add", "action"],
  ]);
  expect(project.functions[1]?.source).toBe(addAction);
  expect(project.warnings.map(formatDiagnostic)).toEqual([
    "crm/actions/forgotten.ts: is not imported in index.ts, so it is left out",
  ]);
});

test("type errors point at the author's line", async () => {
  const wrong = addAction.replace("input.a + (input.b ?? 1)", 'input.a + "x"');
  const root = newProject({
    "index.ts": `import "./crm/actions/add.js";\n`,
    "crm/actions/add.ts": wrong,
  });

  const { errors } = await compileProject(root);

  expect(errors).toHaveLength(1);
  const line = wrong.split("\n").findIndex((text) => text.includes('"x"')) + 1;
  expect(errors[0]).toMatchObject({ file: "crm/actions/add.ts", line });
  expect(errors[0]?.message).toMatch(/^TS2322: /);
});

test("type errors of tests are warnings: they keep nothing from being deployed", async () => {
  const root = newProject({
    "index.ts": `import "./crm/actions/add.js";\n`,
    "crm/actions/add.ts": addAction,
    "crm/tests/add.test.ts": 'import { test } from "no-such-runner";\nexport default test;\n',
  });

  const { errors, warnings } = await compileProject(root);

  expect(errors).toEqual([]);
  expect(warnings).toMatchObject([{ file: "crm/tests/add.test.ts", line: 1 }]);
});

test("one broken function does not hide the others' results", async () => {
  const root = newProject({
    "index.ts": `import "./crm/syncs/contacts.js";\nimport "./crm/actions/add.js";\n`,
    "crm/syncs/contacts.ts": contactsSync.replace("every 3 week", "never"),
    "crm/actions/add.ts": addAction,
  });

  const { errors, functions } = await compileProject(root, { skipTypeCheck });

  expect(errors.map(formatDiagnostic)).toEqual([
    expect.stringMatching(/^crm\/syncs\/contacts\.ts: frequency: "never" is not understood/),
  ]);
  expect(functions.map((one) => one.functionName)).toEqual(["add"]);
});

test("model and function names are unique within an integration", async () => {
  const root = newProject({
    "index.ts": ["crm/syncs/a", "crm/syncs/b", "crm/actions/a", "erp/syncs/a"]
      .map((path) => `import "./${path}.js";\n`)
      .join(""),
    "crm/syncs/a.ts": contactsSync,
    "crm/syncs/b.ts": contactsSync,
    "crm/actions/a.ts": addAction,
    "erp/syncs/a.ts": contactsSync,
  });

  const { errors } = await compileProject(root, { skipTypeCheck });

  expect(errors.map(formatDiagnostic)).toEqual([
    "crm/syncs/b.ts: model Contact is already defined in crm/syncs/a.ts; a model belongs to one sync",
    "crm/actions/a.ts: function a is already defined in crm/syncs/a.ts; rename one of them",
  ]);
});

test("imports that lead nowhere are errors of index.ts", async () => {
  const root = newProject({
    "index.ts": `import "./crm/syncs/gone.js";\nimport "./crm/gone.js";\n`,
  });

  const { errors } = await compileProject(root, { skipTypeCheck });

  expect(errors.map(formatDiagnostic)).toEqual([
    "index.ts:1:9: crm/syncs/gone.ts does not exist",
    'index.ts:2:9: "./crm/gone.js" is not ./<integration>/<syncs|actions|on-events>/<name>.js',
  ]);
});

test("a folder that is no project says what is missing", async () => {
  const { errors } = await compileProject(newProject({}));

  expect(errors[0]?.message).toContain("index.ts is missing");
});
