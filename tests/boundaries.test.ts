import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import {
  findHiddenCitations,
  findThinPromises,
  findUnknownPromises,
} from "../scripts/checks/citations.ts";
import { findBrokenDocPaths } from "../scripts/checks/doc-paths.ts";
import { findEnvironmentReads } from "../scripts/checks/environment-reads.ts";
import { findWrongPackageDirections } from "../scripts/checks/imports/package-directions.ts";
import { findEnteredSlices } from "../scripts/checks/imports/slice-doors.ts";
import { findWrongSliceDirections } from "../scripts/checks/imports/slice-layers.ts";
import { findLongFiles } from "../scripts/checks/long-files.ts";
import { findStrayModeNames } from "../scripts/checks/mode-names.ts";
import { findModuleState } from "../scripts/checks/module-state.ts";
import { findOwnCpuTimes } from "../scripts/checks/of-tests/cpu-bars.ts";
import { findInheritedOutputs } from "../scripts/checks/of-tests/inherited-outputs.ts";
import { findWideFolders } from "../scripts/checks/wide-folders.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const require = createRequire(import.meta.url);
const biome = join(dirname(require.resolve("@biomejs/biome/package.json")), "bin", "biome");

/** What Biome says of these files in a tree with our rules and manifests, one line a finding. */
async function lint(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-lint-"));
  try {
    const rules = JSON.parse(await readFile(join(root, "biome.json"), "utf8"));
    const copies = [
      "package.json",
      "packages/server/package.json",
      "packages/contract/package.json",
    ];
    for (const path of copies) await put(folder, path, await readFile(join(root, path), "utf8"));
    await put(folder, "biome.json", JSON.stringify({ ...rules, vcs: { enabled: false } }));
    for (const [path, text] of Object.entries(files)) await put(folder, path, text);
    const args = ["lint", "--colors=off", "--reporter=github", "--max-diagnostics=none"];
    return await outputOf([biome, ...args, "packages"], folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function outputOf(args: readonly string[], cwd: string): Promise<string> {
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd }, (_error, stdout) => resolve(stdout));
  });
}

async function put(folder: string, path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** The lines of an output that name a file. */
function linesOn(path: string, output: string): string {
  return output
    .split("\n")
    .filter((line) => line.includes(path))
    .join("\n");
}

const server = "packages/server/src";

const forbidden: readonly (readonly [string, string, string, string])[] = [
  [
    "a slice from the foundation",
    `${server}/foundation/x.ts`,
    `import "#connections";`,
    "noRestrictedImports",
  ],
  ["kysely outside of a store", `${server}/syncs/a.ts`, `import "kysely";`, "noRestrictedImports"],
  ["pg outside of a store", `${server}/syncs/b.ts`, `import "pg";`, "noRestrictedImports"],
  [
    "the runner from the server",
    `${server}/syncs/c.ts`,
    `import "@jackfield/runner/main";`,
    "noRestrictedImports",
  ],
  [
    "ours from the contract",
    "packages/contract/src/a.ts",
    `import "@jackfield/server";`,
    "noRestrictedImports",
  ],
  [
    "Node from the contract",
    "packages/contract/src/b.ts",
    `import "node:fs";`,
    "noRestrictedImports",
  ],
  [
    "the server from a function's process",
    "packages/runner/src/x.ts",
    `import "@jackfield/server";`,
    "noRestrictedImports",
  ],
  [
    "an undeclared dependency",
    `${server}/syncs/d.ts`,
    `import "commander";`,
    "noUndeclaredDependencies",
  ],
  ["the environment", `${server}/syncs/e.ts`, "export const x = process.env;", "noProcessEnv"],
  ["the console", `${server}/syncs/f.ts`, `console.log("x");`, "noConsole"],
];

// One run of the linter for all of them: each start takes longer than the files do.
let linted = "";
beforeAll(async () => {
  linted = await lint({
    ...Object.fromEntries(forbidden.map(([_what, path, text]) => [path, `${text}\n`])),
    [`${server}/syncs/store.ts`]: 'import "kysely";\n',
    [`${server}/syncs/g.ts`]: 'import "#connections";\n',
    [`${server}/vault/index.ts`]: 'import { b } from "#logs"; export const a = b;\n',
    [`${server}/logs/index.ts`]: 'import { a } from "#vault"; export const b = a;\n',
  });
});

test.each(forbidden)("no file may use %s", (_what, path, _text, rule) => {
  expect(linesOn(path, linted)).toContain(rule);
});

test("a store may use kysely, and a slice another's door", () => {
  const found = ["store", "g"].map((name) => linesOn(`${server}/syncs/${name}.ts`, linted));

  expect(found.join("\n")).not.toContain("noRestrictedImports");
});

test("import cycles are refused, also through doors", () => {
  expect(linesOn(`${server}/vault/index.ts`, linted)).toContain("noImportCycles");
});

/** What the compiler says of these texts as files of the server, one line an error. */
async function typeErrors(texts: readonly string[]): Promise<string> {
  const folder = join(root, "packages/server/.cache", randomUUID());
  const files = texts.map((_text, index) => `probe-${index}.ts`);
  for (const [index, text] of texts.entries()) await put(folder, `probe-${index}.ts`, text);
  const config = { extends: join(root, "tsconfig.base.json"), files };
  await put(folder, "tsconfig.json", JSON.stringify(config));
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  try {
    return await outputOf([tsc, "--pretty", "false", "-p", folder], root);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const route = `method: "GET", path: "/x", summary: "x", principals: ["environment"],
  success: { status: 200 }, idempotent: false`;

const wronglyTyped: readonly (readonly [string, string, string])[] = [
  ["a slice's inside by its door's name", `import "#connections/store";`, "TS2882"],
  [
    "a route without scope",
    `import { defineRoute } from "@jackfield/contract"; defineRoute({ ${route}, errors: [] });`,
    "scope",
  ],
  [
    "a route without errors",
    `import { defineRoute } from "@jackfield/contract"; defineRoute({ ${route}, scope: "any-key" });`,
    "errors",
  ],
  [
    "a route without its verb",
    `import type { syncRoutes } from "@jackfield/contract";
     import type { RouteHandlers } from "#foundation/http";
     export const handlers = {} satisfies RouteHandlers<typeof syncRoutes>;`,
    "triggerSyncs",
  ],
  [
    "an unknown error code",
    `import { AppError } from "#foundation"; throw new AppError("no_such_code");`,
    "no_such_code",
  ],
  [
    "a task without handler",
    `import { bindTasks, defineTask } from "#tasks";
     bindTasks({ run: defineTask<string>({ name: "x", queue: "long", maxAttempts: 1 }) }, {});`,
    "TS2741",
  ],
];

let typed = "";
beforeAll(async () => {
  typed = await typeErrors(wronglyTyped.map(([_what, text]) => text));
});

test.each(wronglyTyped.map((row, index) => [...row, index] as const))(
  "the compiler refuses %s",
  (_what, _text, message, index) => {
    // What TypeScript says of one error may take several lines; those after the first are indented.
    const errors = typed.split(/\n(?! )/).filter((error) => error.includes(`probe-${index}.ts`));
    expect(errors.join("\n")).toContain(message);
  },
);

test("an auth mode is named nowhere but where one is added", () => {
  const registry: [string, string] = [
    "packages/catalogue/src/schema.ts",
    "const entryRules = {\n  OAUTH2: oauth2Rules,\n  NONE: noneRules,\n};",
  ];
  const strays = findStrayModeNames(
    new Map([
      registry,
      ["packages/server/src/proxy/x.ts", 'if (mode === "OAUTH2") return;'],
      ["packages/connect-ui/src/y.ts", "const table = {\n  NONE: {},\n};"],
      ["packages/server/src/proxy/z.ts", 'const kind = "none";'],
      ["packages/server/src/auth-modes/modes/none.ts", 'const id = "NONE";'],
    ]),
  );

  expect(strays.map((line) => line.split(":")[0])).toEqual([
    "packages/server/src/proxy/x.ts",
    "packages/connect-ui/src/y.ts",
  ]);
  expect(findStrayModeNames(new Map())).toHaveLength(1);
});

test("slices import from the layers below their own only, types included", () => {
  const source = "packages/server/src";
  const found = findWrongSliceDirections(
    new Map([
      ["ARCHITECTURE.md", "```layers\nsyncs actions\nrecords\nfoundation\n```"],
      [`${source}/syncs/down.ts`, 'import { a } from "#records";\nimport "#foundation/http";'],
      [`${source}/records/up.ts`, 'import type { A } from "#syncs";'],
      [`${source}/records/late.ts`, 'await import("#actions");'],
      [`${source}/syncs/across.ts`, 'export { a } from "#actions";'],
      [`${source}/records/up.test.ts`, 'import { a } from "#syncs";'],
      [`${source}/records/testing/up.ts`, 'import { a } from "#syncs";'],
      [`${source}/new-slice/x.ts`, ""],
      [`${source}/app.ts`, 'import { a } from "#syncs";'],
    ]),
  );

  expect(found).toEqual([
    `${source}/records/up.ts: #records may not import from #syncs, which is not below it`,
    `${source}/records/late.ts: #records may not import from #actions, which is not below it`,
    `${source}/syncs/across.ts: #syncs may not import from #actions, which is not below it`,
    `ARCHITECTURE.md: ${source}/new-slice is in no layer`,
  ]);
});

test("state of a module is found, unless it says why the process shares it", () => {
  const found = findModuleState(
    new Map([
      ["packages/server/src/a.ts", "const known = new Map<string, number>();"],
      ["packages/server/src/b.ts", "let count = 0;\nconst limits = new Set([1, 2]);"],
      ["packages/server/src/c.ts", "const cache = new LRUCache<string, Row>({ max: 1 });"],
      ["packages/server/src/d.ts", "const places = new WeakMap<Keys, Places>();"],
      ["packages/server/src/e.ts", "// Process-wide: a thread costs memory.\nlet thread;"],
      ["packages/server/src/f.ts", "const marks = new WeakMap<FastifyRequest, Date>();"],
      ["packages/server/src/g.test.ts", "let ctx: Context;"],
      [
        "packages/server/src/h.ts",
        "// Kept with its key: one request.\nconst marks = new WeakMap();",
      ],
      ["packages/server/src/i.ts", "export const pool = new Pool(3);"],
      ["packages/server/src/j.ts", "const seen: string[] = [];\nconst see = (x) => seen.push(x);"],
      ["packages/server/src/k.ts", "const last = { at: 0 };\nfunction note(at) { last.at = at; }"],
      [
        "packages/server/src/l.ts",
        "const byId = new Map(rows);\nconst f = (id) => byId.delete(id);",
      ],
      ["packages/server/src/m.ts", "const rules = { a: 1 };\nconst all = new Map([[1, rules.a]]);"],
      ["packages/catalogue/src/n.ts", "export let opened: Catalogue | undefined;"],
    ]),
  );

  expect(found.map((line) => line.split(":").slice(0, 2).join(":"))).toEqual([
    "packages/server/src/a.ts:1",
    "packages/server/src/b.ts:1",
    "packages/server/src/c.ts:1",
    "packages/server/src/d.ts:1",
    "packages/server/src/f.ts:1",
    "packages/server/src/i.ts:1",
    "packages/server/src/j.ts:1",
    "packages/server/src/k.ts:1",
    "packages/server/src/l.ts:1",
    "packages/catalogue/src/n.ts:1",
  ]);
});

test("house rules find what linters do not", () => {
  const inherit = "inherit";
  const tree = new Map([
    ["docs/x.md", "see `packages/nowhere/src/x.ts`"],
    ["packages/server/src/x.ts", "const { env } = process;"],
    ["packages/server/src/y.ts", 'import { env } from "node:process";'],
    ["packages/server/src/z.test.ts", `spawn("true", { stdio: "${inherit}" });`],
    // Put together, as this file would be found otherwise.
    ["tests/slow.test.ts", `expect(process.${"cpuUsage"}().user).toBeLessThan(1);`],
    ["packages/server/src/long.ts", "x\n".repeat(401)],
    [
      "packages/contract/package.json",
      '{"name":"@jackfield/contract","dependencies":{"jackfield":"1"}}',
    ],
  ]);

  expect(findBrokenDocPaths(tree)).toHaveLength(1);
  expect(findEnvironmentReads(tree)).toHaveLength(2);
  expect(findInheritedOutputs(tree)).toHaveLength(1);
  expect(findOwnCpuTimes(tree)).toHaveLength(1);
  expect(findLongFiles(tree)).toHaveLength(1);
  expect(findWrongPackageDirections(tree)).toHaveLength(1);
});

test.each([
  "// See platform specification, section 4.",
  "/** In step with the platform's specification. */",
  "// Names as the specification has them, in the spelling of the specification.",
  "// Contract A.8: later changes win.",
  "// HTTP contract 2.11",
  "// Decisions 25",
  "// decision 0099",
  "// STYLE.md 11: 400 lines",
  "// ARCHITECTURE §3",
  "// Row J7 of the list; rows A.6 are for orientation.",
  "// See issue 18.",
  "// Fixes issue #3",
])("a comment may not cite what readers cannot open: %s", (comment) => {
  const page: [string, string] = ["STYLE.md", "# Style"];
  const other: [string, string] = ["ARCHITECTURE.md", "# Architecture"];

  expect(findHiddenCitations(new Map([page, other, ["packages/x/src/x.ts", comment]]))).not.toEqual(
    [],
  );
});

test.each([
  "// RFC 9110, section 7.6.1",
  "// See decision 0026.",
  "// https://github.com/npm/cli/issues/4828",
  "// The contract says what each route answers.",
  "// Two decisions of 25 ways",
])("a comment may cite an RFC, a link and a page of this tree: %s", (comment) => {
  const page: [string, string] = ["docs/decisions/0026-partitions-by-day.md", "# 26"];

  expect(findHiddenCitations(new Map([page, ["packages/x/src/x.ts", comment]]))).toEqual([]);
});

test("a promise that is cited is in docs/promises.md, with its meaning, proof and figures", () => {
  const whole = "| R1 | Once. | No reconnect. | `tests/x.test.ts` | 0 lost |";
  const page = (row: string): [string, string] => ["docs/promises.md", `## Refresh\n\n${row}\n`];
  const citing = [
    "// Promise R2",
    "// Promises R1 and R2 in short",
    "/** R2: sooner */",
    'test("R2: sooner", x);',
    'test("sooner (R2)", x);',
    'return { id: "R2", trials };',
  ];

  for (const text of citing) {
    const tree = new Map([page(whole), ["tests/x.test.ts", text]]);
    expect(findUnknownPromises(tree), text).toHaveLength(1);
    tree.set("tests/x.test.ts", text.replaceAll("R2", "R1"));
    expect(findUnknownPromises(tree), text).toEqual([]);
  }
  expect(findThinPromises(new Map([page(whole)]))).toEqual([]);
  expect(findThinPromises(new Map([page(`${whole}\n${whole}`)]))).toHaveLength(1);
  expect(findThinPromises(new Map([page(whole.replace("No reconnect.", ""))]))).toHaveLength(1);
  expect(findThinPromises(new Map([page(whole.replace("tests/x.test.ts", ""))]))).toHaveLength(1);
  const withoutCommand = whole.replace("x.test.ts", "chaos/x.chaos.ts");
  expect(findThinPromises(new Map([page(withoutCommand)]))).toHaveLength(1);
});

test.each([
  [`${server}/syncs/x.ts`, "../connections/store.ts", 1],
  [`${server}/syncs/runs/x.ts`, "../../connections/index.ts", 1],
  [`${server}/syncs/x.ts`, "../app.ts", 1],
  [`${server}/app.ts`, "./syncs/store.ts", 1],
  [`${server}/foundation/http/x.ts`, "../db/database.ts", 1],
  [`${server}/syncs/runs/x.ts`, "../schedule/due-syncs.ts", 0],
  [`${server}/process/x.ts`, "../app.ts", 0],
  [`${server}/foundation/http/x.ts`, "../db/index.ts", 0],
  [`${server}/foundation/http/x.ts`, "../context.ts", 0],
])("%s imports %s: %d problems", (path, target, problems) => {
  const tree = new Map([[path, `import { x } from "${target}";`]]);

  expect(findEnteredSlices(tree)).toHaveLength(problems);
});

test("a folder has fifteen source files at most; tests do not count", () => {
  const files = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, index) => [`${server}/syncs/f${index}.ts`, ""]);
  const tests: [string, string][] = files(9).map(([path]) => [path.replace(".ts", ".test.ts"), ""]);

  expect(findWideFolders(new Map([...files(15), ...tests]))).toEqual([]);
  expect(findWideFolders(new Map(files(16)))).toHaveLength(1);
});
