import { SourceMap } from "node:module";
import { compileFunction } from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";
import * as zod from "zod";
import * as authoring from "../../index.ts";
import { CompileError, type Diagnostic } from "../diagnostic.ts";
import { addAction, copyZod, newProject } from "../project-fixture.ts";
import { type Bundle, type BundleOptions, bundleFunction } from "./bundle-function.ts";
import { createImportRules } from "./import-rules.ts";

const named = { integrationId: "crm", functionName: "add" };

async function bundleText(text: string, options: Partial<BundleOptions> = {}): Promise<Bundle> {
  const root = newProject({});
  return await bundleFunction({ ...named, root, source: { text, resolveDir: root }, ...options });
}

async function errorsOf(bundling: Promise<Bundle>): Promise<readonly Diagnostic[]> {
  const error = await bundling.catch((thrown: unknown) => thrown);
  if (error instanceof CompileError) return error.diagnostics;
  throw new Error("it was bundled");
}

function load(bundle: Bundle): { exports: Record<string, unknown>; required: string[] } {
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const required: string[] = [];
  const require = (name: string) => {
    required.push(name);
    if (name === "zod") return zod;
    if (name === "jackfield") return authoring;
    return process.getBuiltinModule(name);
  };
  const run = compileFunction(bundle.code, ["exports", "require", "module"]);
  Reflect.apply(run, undefined, [module.exports, require, module]);
  return { exports: module.exports, required };
}

test("a function becomes one file with its schemas, and a map without sources", async () => {
  const bundle = await bundleText(addAction);

  expect(load(bundle).exports["default"]).toMatchObject({ type: "action", description: "Adds" });
  expect(bundle.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.parse(bundle.sourceMap)).not.toHaveProperty("sourcesContent");
  expect(bundle.warnings).toEqual([]);
});

test("the same source gives the same bundle", async () => {
  expect((await bundleText(addAction)).sha256).toBe((await bundleText(addAction)).sha256);
});

test.each([
  ["* as z", "zod"],
  ["{ z }", "zod"],
  ["z", "zod"],
  ["* as z", "zod/v4"],
])(
  "zod and the authoring package stay outside, however they are imported: %s of %s",
  async (names, from) => {
    const text = addAction.replace("* as z", names).replace('"zod"', JSON.stringify(from));

    const bundle = await bundleText(text);

    const { exports, required } = load(bundle);
    expect(exports["default"]).toMatchObject({ type: "action" });
    expect(required.toSorted()).toEqual(["jackfield", "zod"]);
    expect(bundle.code.length).toBeLessThan(2000);
    expect(bundle.sourceMap.length).toBeLessThan(2000);
  },
);

test("the zod of a release that the host does not have is bundled, only what is used of it", async () => {
  const { major, minor } = zod.core.version;
  const newer = newProject(copyZod(`${major}.${minor + 1}.0`));
  const older = newProject(copyZod(`${major}.0.3`));
  const bundle = async (root: string) =>
    await bundleFunction({ ...named, root, source: { text: addAction, resolveDir: root } });

  const own = await bundle(newer);

  expect(load(own).required).toEqual(["jackfield"]);
  expect(load(own).exports["default"]).toMatchObject({ type: "action" });
  expect(own.code.length).toBeLessThan(250_000);
  expect(load(await bundle(older)).required.toSorted()).toEqual(["jackfield", "zod"]);
});

test("a package that brings an older zod of its own keeps it", async () => {
  const root = newProject({
    "node_modules/legacy/package.json": '{ "name": "legacy", "main": "index.js" }',
    "node_modules/legacy/index.js": 'exports.which = require("zod").which;',
    "node_modules/legacy/node_modules/zod/package.json":
      '{ "name": "zod", "version": "3.22.0", "main": "index.js" }',
    "node_modules/legacy/node_modules/zod/index.js": 'exports.which = "three";',
  });
  const text = 'import { which } from "legacy"; export default { which };';

  const bundle = await bundleFunction({ ...named, root, source: { text, resolveDir: root } });

  expect(load(bundle)).toMatchObject({ exports: { default: { which: "three" } }, required: [] });
});

test("positions of the bundle lead to the author's line", async () => {
  const root = newProject({
    "crm/actions/fail.ts":
      "\n\nexport default function fail(): never {\n  throw new Error('x');\n}\n",
  });

  const bundle = await bundleFunction({
    ...named,
    root,
    source: { entryFile: "crm/actions/fail.ts" },
  });

  const lines = bundle.code.split("\n");
  const line = lines.findIndex((text) => text.includes("throw"));
  const map = new SourceMap(JSON.parse(bundle.sourceMap));
  const entry = map.findEntry(line, lines[line]?.indexOf("throw") ?? 0);
  expect(entry).toMatchObject({ originalSource: "crm/actions/fail.ts", originalLine: 3 });
});

test("allowed built-ins stay outside, with the node: prefix", async () => {
  const bundle = await bundleText(
    `import { createHash } from "crypto"; import { setTimeout } from "timers/promises"; import { ReadableStream } from "stream/web";
     export default [createHash, setTimeout, ReadableStream];`,
  );

  expect(load(bundle).required.toSorted()).toEqual([
    "node:crypto",
    "node:stream/web",
    "node:timers/promises",
  ]);
});

test.each([
  ['import { readFileSync } from "node:fs"; export default readFileSync;', "fs", "no file system"],
  ['import http from "http"; export default http;', "http", "svc.get"],
  ['import { exec } from "child_process"; export default exec;', "child_process", "cannot start"],
  ['import os from "node:os"; export default os;', "os", "allowed are"],
  ['import { DatabaseSync } from "node:sqlite"; export default DatabaseSync;', "sqlite", "records"],
])("a forbidden import is an error with its name, why and place", async (text, name, why) => {
  const [error] = await errorsOf(bundleText(`\n${text}`));

  expect(error?.message).toContain(`"${name}" is not available to functions`);
  expect(error?.message).toContain(why);
  expect(error).toMatchObject({ file: "crm/add.ts", line: 2 });
});

test("a dependency's forbidden import throws only when it is used, and is warned of", async () => {
  const root = newProject({
    "node_modules/legacy/package.json": '{ "name": "legacy", "main": "index.js" }',
    "node_modules/legacy/index.js": `const fs = require("fs"); const { Agent } = require("https");
      class Mine extends Agent {}
      exports.read = () => fs.readFileSync("x"); exports.twice = (n) => n * 2; exports.Mine = Mine;`,
    "crm/actions/a.ts":
      'import { read, twice } from "legacy"; export default { read, eight: twice(4) };',
  });

  const bundle = await bundleFunction({
    ...named,
    root,
    source: { entryFile: "crm/actions/a.ts" },
  });

  const { default: value } = load(bundle).exports;
  expect(value).toEqual({ eight: 8, read: expect.any(Function) });
  expect(Object(value).read).toThrow(/"fs" is not available to functions/);
  expect(bundle.warnings.map((warning) => warning.message).join("\n")).toMatch(/legacy imports it/);
});

test("what a dependency requires lazily and is not installed throws then, and is warned of", async () => {
  const root = newProject({
    "node_modules/optional/package.json": '{ "name": "optional", "main": "index.js" }',
    "node_modules/optional/index.js": `let native;
      try { native = require("optional-native"); } catch (error) { native = error.code; }
      exports.native = native;
      exports.local = () => require("./absent");
      exports.there = () => require("./there");
      exports.later = async () => await import("optional-later");`,
    "node_modules/optional/there.js": "module.exports = 1;",
    "crm/actions/a.ts":
      'import { native, local, there, later } from "optional"; export default { native, local, there, later };',
    "crm/actions/own.ts": 'export default () => require("mine-absent");',
  });
  const bundle = async (entryFile: string) =>
    await bundleFunction({ ...named, root, source: { entryFile } });

  const bundled = await bundle("crm/actions/a.ts");

  const value = Object(load(bundled).exports["default"]);
  expect(value.native).toBe("MODULE_NOT_FOUND");
  expect(value.there()).toBe(1);
  expect(value.local).toThrow('Cannot find module "./absent"');
  await expect(value.later()).rejects.toThrow('Cannot find module "optional-later"');
  expect(bundled.warnings.map(({ message }) => message).toSorted()).toEqual([
    expect.stringContaining('optional requires "./absent", which is not installed'),
    expect.stringContaining('optional requires "optional-later"'),
    expect.stringContaining('optional requires "optional-native"'),
  ]);
  expect(await errorsOf(bundle("crm/actions/own.ts"))).toHaveLength(1);
});

test("packages give the code that they keep for workers", async () => {
  const root = newProject({
    "node_modules/both/package.json": `{ "name": "both", "exports": { ".": { "worker": "./worker.js", "node": "./node.js", "default": "./node.js" } } }`,
    "node_modules/both/worker.js": "export const place = 'worker';",
    "node_modules/both/node.js": "export const place = 'node';",
    "crm/actions/a.ts": 'import { place } from "both"; export default { place };',
  });

  const bundle = await bundleFunction({
    ...named,
    root,
    source: { entryFile: "crm/actions/a.ts" },
  });

  expect(load(bundle).exports["default"]).toEqual({ place: "worker" });
});

test("a package that is not installed is an error at its import", async () => {
  const [error] = await errorsOf(bundleText('import x from "nowhere"; export default x;'));

  expect(error).toMatchObject({ file: "crm/add.ts", line: 1 });
  expect(error?.message).toContain("nowhere");
});

test("code for the server imports only what the server brings", async () => {
  const imports = "platform";

  expect((await bundleText(addAction, { imports })).code).toContain("Adds");
  expect((await errorsOf(bundleText('import "./other.js";', { imports })))[0]?.message).toContain(
    "one file",
  );
  expect((await errorsOf(bundleText('import "esbuild";', { imports })))[0]?.message).toContain(
    "cannot be imported here",
  );
  expect((await errorsOf(bundleText('import "/etc/passwd";', { imports })))[0]?.message).toContain(
    "one file",
  );
});

test.each([
  `import(\`./\${name}.json\`)`,
  `require(\`./\${name}.json\`)`,
  `import(/* c */ \`../../../../../../../../..FOLDER/\${name}.json\`)`,
  "import.defer('./' + name)",
  "requ\\u0069re('./' + name)",
])("code for the server bundles no file of the server by a computed name: %s", async (call) => {
  const root = newProject({ "secret.json": '{ "kept": "CANARY" }' });
  const text = `const name = "secret"; export default () => ${call.replace("FOLDER", root)};`;

  const errors = await errorsOf(
    bundleFunction({
      ...named,
      root,
      imports: "platform",
      source: { text, resolveDir: root },
    }),
  );

  expect(errors.map(({ message }) => message).join()).toMatch(/computed name/);
  expect(JSON.stringify(errors)).not.toContain("CANARY");
});

test("what the bundler resolves by itself is not read for code that was sent", async () => {
  const root = newProject({ "secret.json": '{ "kept": "CANARY" }' });
  const contents = `export default (name: string) => import(\`./\${name}.json\`);`;

  const failure = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    logLevel: "silent",
    plugins: [createImportRules({ root, imports: "platform" })],
  }).catch((thrown: unknown) => thrown);

  expect(String(failure)).toContain("it can import no other");
});

test("code for the server may name its imports in calls, too", async () => {
  const text = 'export default async () => (await import("zod")).z;';

  expect((await bundleText(text, { imports: "platform" })).code).toContain("zod");
});
