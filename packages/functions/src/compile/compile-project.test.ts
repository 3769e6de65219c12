import { expect, test } from "vitest";
import { bundleFunction } from "./bundle/bundle-function.ts";
import { compileProject } from "./compile-project.ts";
import { formatDiagnostic } from "./diagnostic.ts";
import { addAction, contactsSync, copyZod, newProject } from "./project-fixture.ts";

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

test("a handler of webhooks without subscriptions is warned of, and subscriptions without a handler", async () => {
  const withExec = (text: string) => contactsSync.replace("exec:", `${text}\n  exec:`);
  const root = newProject({
    "index.ts": `import "./crm/syncs/deaf.js";\nimport "./crm/syncs/idle.js";\nimport "./crm/syncs/ready.js";\n`,
    "crm/syncs/deaf.ts": withExec("onWebhook: async () => {},"),
    "crm/syncs/idle.ts": withExec('webhookSubscriptions: ["*"],').replaceAll("Contact", "Idle"),
    "crm/syncs/ready.ts": withExec(
      'webhookSubscriptions: ["*"], onWebhook: async () => {},',
    ).replaceAll("Contact", "Ready"),
  });

  const { errors, warnings } = await compileProject(root, { skipTypeCheck });

  expect(errors).toEqual([]);
  expect(warnings.map(formatDiagnostic)).toEqual([
    expect.stringMatching(/^crm\/syncs\/deaf\.ts: onWebhook never runs/),
    expect.stringMatching(/^crm\/syncs\/idle\.ts: webhookSubscriptions have no effect/),
  ]);
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

test("model names are unique within an integration, and function names within a kind", async () => {
  const root = newProject({
    "index.ts": ["crm/syncs/a", "crm/syncs/b", "crm/actions/a", "erp/syncs/a"]
      .map((path) => `import "./${path}.js";\n`)
      .join(""),
    "crm/syncs/a.ts": contactsSync,
    "crm/syncs/b.ts": contactsSync,
    // An action and a sync may share a name.
    "crm/actions/a.ts": addAction,
    "erp/syncs/a.ts": contactsSync,
  });

  const { errors, functions } = await compileProject(root, { skipTypeCheck });

  expect(errors.map(formatDiagnostic)).toEqual([
    "crm/syncs/b.ts: model Contact is already defined in crm/syncs/a.ts; a model belongs to one sync",
  ]);
  expect(functions).toHaveLength(4);
});

test("only what is selected is bundled and checked", async () => {
  const root = newProject({
    "index.ts": [
      ...['import "./crm/actions/add.js";', 'import "./crm/actions/broken.js";'],
      ...['import "./erp/actions/wrong.js";', 'import "./erp/actions/gone.js";'],
    ].join("\n"),
    "crm/actions/add.ts": addAction,
    "crm/actions/broken.ts": "export default {{{",
    "erp/actions/wrong.ts": addAction.replace("input.a", "input.c"),
  });

  const whole = await compileProject(root);
  const part = await compileProject(root, {
    only: ({ functionName }) => functionName === "add",
  });

  expect(new Set(whole.errors.map(({ file }) => file))).toEqual(
    new Set(["index.ts", "crm/actions/broken.ts", "erp/actions/wrong.ts"]),
  );
  expect(part).toMatchObject({ errors: [], warnings: [], functions: [{ functionName: "add" }] });
});

test("a function of a batch has the bundle that it has alone", async () => {
  const shared = 'import * as z from "zod";\nexport const Name = z.string();\n';
  const text = addAction
    .replace("a: z.number()", "a: z.number(), name: Name.optional()")
    .replace("import * as z", 'import { Name } from "../names.js";\nimport * as z');
  const names = Array.from({ length: 5 }, (_, n) => `add${n}`);
  const root = newProject({
    "index.ts": names.map((name) => `import "./crm/actions/${name}.js";\n`).join(""),
    "crm/names.ts": shared,
    ...Object.fromEntries(names.map((name) => [`crm/actions/${name}.ts`, text])),
  });

  const { functions, errors } = await compileProject(root, { skipTypeCheck });
  const [first] = functions;

  expect(errors).toEqual([]);
  for (const { file, bundle, ...fn } of functions) {
    const alone = await bundleFunction({ ...fn, root, source: { entryFile: file } });
    expect(alone).toEqual(bundle);
  }
  expect(first?.bundle.files.toSorted()).toEqual(["crm/actions/add0.ts", "crm/names.ts"]);
});

test("schemas of any release of zod 4 fit the types, and another release is named", async () => {
  const files = {
    "index.ts": `import "./crm/syncs/contacts.js";\nimport "./crm/actions/add.js";\n`,
  };
  const functions = { "crm/syncs/contacts.ts": contactsSync, "crm/actions/add.ts": addAction };
  const older = newProject({ ...copyZod("4.0.17"), ...files, ...functions });
  const newer = newProject({ ...copyZod("4.99.0"), ...files, ...functions });
  const other = newProject({ ...copyZod("3.25.0"), ...files, ...functions });

  const [ofOlder, ofNewer] = await Promise.all([compileProject(older), compileProject(newer)]);
  const ofOther = await compileProject(other, { skipTypeCheck });

  expect(ofOlder.errors).toEqual([]);
  expect(ofOlder.warnings).toMatchObject([
    { message: expect.stringMatching(/^zod 4\.0\.17 is installed, functions run with 4\./) },
  ]);
  expect(ofNewer.errors).toEqual([]);
  expect(ofNewer.warnings).toMatchObject([{ message: expect.stringContaining("a copy of yours") }]);
  expect(ofOther.warnings).toMatchObject([{ message: expect.stringContaining("zod@^4") }]);
}, 60_000);

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
