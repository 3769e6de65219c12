import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileProject } from "../compile-project.ts";
import { formatDiagnostic } from "../diagnostic.ts";
import { writeProject } from "../project-fixture.ts";

// One project for all: TypeScript starts once. Each function's file tells its own story.
let root: string;
let errors: string[];
let warnings: string[];

const action = (body: string, before = "") => `import { createAction } from "jackfield";
import * as z from "zod";
import type { SvcAction } from "jackfield";
${before}
export default createAction({ description: "d", input: z.void(), output: z.void(), exec: async (ctx) => {
${body}
} });
`;
const sync = (body: string, model = "Thing") => `import { createSync } from "jackfield";
import * as z from "zod";
export default createSync({ description: "d", frequency: "every hour",
models: { ${model}: z.object({ id: z.string() }) }, exec: async (ctx) => {
${body}
} });
`;

const files: Record<string, string> = {
  "crm/actions/plain.ts": action('ctx.log("lost");'),
  "crm/actions/renamed.ts": action('const { get: fetchIt } = ctx;\nfetchIt({ endpoint: "/x" });'),
  "crm/actions/alias.ts": action("const post = ctx.post;\nvoid post({ endpoint: '/x' });"),
  "crm/actions/element.ts": action('ctx["put"]({ endpoint: "/x" });'),
  "crm/actions/choice.ts": action('Math.random() > 1 && ctx.log("lost");'),
  "crm/actions/each.ts": action('[1].forEach(async (n) => {\nawait ctx.log("lost", n);\n});'),
  "crm/actions/pages.ts": action(
    'ctx.paginate({ endpoint: "/x", paginate: { type: "cursor", cursor_name_in_request: "a", cursor_path_in_response: "b" } });',
  ),
  "crm/actions/helper.ts": action(
    "await help(ctx);",
    'async function help(given: SvcAction) {\ngiven.patch({ endpoint: "/x" });\n}',
  ),
  "crm/actions/dynamic.ts": action('await import("./" + Math.random());'),
  "crm/actions/made.ts": action('eval("1"); new Function("return 1");'),
  "crm/actions/no-retries.ts": action('await ctx.get({ endpoint: "/x", retryOn: [404] });'),
  "crm/actions/console.ts": action('console.log("seen");'),
  "crm/actions/variable.ts": `import { createAction } from "jackfield";
import * as z from "zod";
const props = { description: "d", input: z.void(), output: z.void(), exec: () => {} };
export default createAction(props);
`,
  "crm/actions/fine.ts": action(`
const svc = { log: (text: string) => text, get: async () => 1 };
svc.log("a local object of the author's, regardless of its name"); void svc.get();
await ctx.log("awaited"); const later = ctx.log("kept"); await later;
ctx.get({ endpoint: "/x" }).then(() => {}, () => {});
await Promise.all([1].map((n) => ctx.log("mapped", n)));
const { eval: own } = { eval: (text: string) => text }; own("mine");
return ctx.log("returned");`),
  "crm/syncs/sound.ts": sync(
    `await ctx.setMergingStrategy({ strategy: "override" }, "Sound");
await ctx.trackDeletesStart("Sound");
const save = ctx.batchSave;
await save([{ id: "1" }], "Sound");
await ctx.trackDeletesEnd("Sound");`,
    "Sound",
  ),
  "crm/syncs/late-merging.ts": sync(
    `await ctx.get({ endpoint: "/x" });
await ctx.setMergingStrategy({ strategy: "override" }, "Merging");`,
    "Merging",
  ),
  "crm/syncs/no-end.ts": sync('await ctx.trackDeletesStart("NoEnd");', "NoEnd"),
  "crm/syncs/no-start.ts": sync('await ctx.trackDeletesEnd("NoStart");', "NoStart"),
  "crm/syncs/late-start.ts": sync(
    `const { batchSave: keep, trackDeletesStart } = ctx;
await keep([{ id: "1" }], "LateStart");
await trackDeletesStart("LateStart");
await ctx.trackDeletesEnd("LateStart");`,
    "LateStart",
  ),
  "crm/syncs/late-save.ts": sync(
    `await ctx.trackDeletesStart("LateSave");
await ctx.trackDeletesEnd("LateSave");
await ctx.batchSave([{ id: "1" }], "LateSave");`,
    "LateSave",
  ),
  "crm/syncs/twice.ts": sync(
    `await ctx.trackDeletesStart("Twice");
await ctx.trackDeletesStart("Twice");
await ctx.trackDeletesEnd("Twice");`,
    "Twice",
  ),
  "crm/syncs/previous.ts": sync(
    `await ctx.deleteRecordsFromPreviousExecutions("Previous");
await ctx.batchSave([{ id: "1" }], "Previous");`,
    "Previous",
  ),
};

beforeAll(async () => {
  root = writeProject({
    "index.ts": Object.keys(files)
      .map((path) => `import "./${path.replace(/ts$/, "js")}";\n`)
      .join(""),
    ...files,
  });
  const project = await compileProject(root);
  errors = project.errors.map(formatDiagnostic);
  warnings = project.warnings.map(formatDiagnostic);
});
afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ["plain", 6, "svc.log is not awaited"],
  ["renamed", 7, "svc.get is not awaited"],
  ["alias", 7, "svc.post is not awaited"],
  ["element", 6, "svc.put is not awaited"],
  ["choice", 6, "svc.log is not awaited"],
  ["each", 7, "forEach drops what its callback returns"],
  ["pages", 6, "svc.paginate does nothing by itself"],
  ["helper", 5, "svc.patch is not awaited"],
  ["dynamic", 6, "import() of a computed name cannot work"],
  ["made", 6, "eval is not available"],
  ["no-retries", 6, "svc.get: retryOn without retries has no effect"],
  ["variable", 4, "createAction takes an object literal"],
])("%s: is an error at its line", (name, line, message) => {
  const found = errors.filter((error) => error.startsWith(`crm/actions/${name}.ts:`));

  expect(found[0]).toMatch(new RegExp(`^crm/actions/${name}\\.ts:${line}:\\d+: `));
  expect(found[0]).toContain(message);
});

test.each([
  ["late-merging", 6, "svc.setMergingStrategy comes too late: call it before svc.get"],
  ["no-end", 5, 'needs svc.trackDeletesEnd("NoEnd") after the last batch'],
  ["no-start", 5, 'needs svc.trackDeletesStart("NoStart") before the first batch'],
  ["late-start", 7, "svc.trackDeletesStart comes too late: call it before svc.batchSave"],
  ["late-save", 7, "svc.batchSave comes after svc.trackDeletesEnd"],
  ["twice", 6, "svc.trackDeletesStart is called twice"],
  ["previous", 6, "svc.batchSave comes after svc.deleteRecordsFromPreviousExecutions"],
])("%s: an order mistake is an error at its line", (name, line, message) => {
  const found = errors.filter((error) => error.startsWith(`crm/syncs/${name}.ts:`));

  expect(found).toEqual([
    expect.stringMatching(new RegExp(`^crm/syncs/${name}\\.ts:${line}:\\d+: `)),
  ]);
  expect(found[0]).toContain(message);
});

test("new Function is an error, too", () => {
  expect(errors.filter((error) => error.includes("actions/made.ts"))).toHaveLength(2);
});

test("what is awaited, returned, kept or not of the server is no error", () => {
  expect(errors.filter((error) => /fine|sound/.test(error))).toEqual([]);
});

test("console lines are warned of", () => {
  expect(warnings.filter((warning) => !warning.includes("direct eval"))).toEqual([
    expect.stringMatching(/^crm\/actions\/console\.ts:6:1: console\.log: /),
  ]);
});
