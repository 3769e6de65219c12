import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestFolder } from "../testing/test-folder.ts";
import { changeFile, changeFunctions } from "./change-functions.ts";

test.each([
  ['import { createSync } from "nango";', 'import { createSync } from "jackfield";'],
  ["import type { NangoSync } from 'nango'", "import type { NangoSync } from 'jackfield'"],
  ["export * from 'nango';", "export * from 'jackfield';"],
  ['type Sync = import("nango").NangoSync;', 'type Sync = import("jackfield").NangoSync;'],
  ['import "nango";', 'import "jackfield";'],
  ['import { a } from "./nango";', 'import { a } from "./nango";'],
  ['const text = "nango";', 'const text = "nango";'],
  ["await nango.log('from nango');", "await nango.log('from nango');"],
])("%s becomes %s", (before, after) => {
  expect(changeFile("a.ts", before)).toBe(after);
});

test("a project is changed in place, once, and what needs a hand is listed", async () => {
  await using folder = await createTestFolder();
  const at = (name: string) => join(folder.path, name);
  await mkdir(at("crm/syncs"), { recursive: true });
  await mkdir(at("node_modules/nango"), { recursive: true });
  const sync = 'import { createSync } from "nango";\nexport default createSync({});\n';
  const manifest = {
    name: "functions",
    scripts: { deploy: "nango deploy dev", lint: "eslint nango" },
    devDependencies: { nango: "0.69.0", zod: "4.0.5" },
  };
  await writeFile(at("crm/syncs/contacts.ts"), sync);
  await writeFile(at("crm/syncs/old.ts"), "export default async function fetchData(nango) {}\n");
  await writeFile(at("node_modules/nango/index.ts"), sync);
  await writeFile(at("package.json"), JSON.stringify(manifest));
  await writeFile(
    at(".env"),
    "NANGO_SECRET_KEY_DEV=k\nNANGO_HOSTPORT=https://a.example\nOTHER=1\n",
  );
  await writeFile(at("nango.yaml"), "integrations: {}\n");

  const planned = await changeFunctions(folder.path, { dryRun: true });
  const untouched = await readFile(at("crm/syncs/contacts.ts"), "utf8");
  const done = await changeFunctions(folder.path, { dryRun: false });
  const again = await changeFunctions(folder.path, { dryRun: false });

  expect(untouched).toBe(sync);
  expect(planned).toEqual(done);
  expect(done.changed).toEqual([at(".env"), at("crm/syncs/contacts.ts"), at("package.json")]);
  expect(done.byHand.map(({ file }) => file)).toEqual([at("crm/syncs/old.ts"), at("nango.yaml")]);
  expect(again.changed).toEqual([]);
  expect(await readFile(at(".env"), "utf8")).toBe(
    "SVC_SECRET_KEY_DEV=k\nSVC_HOSTPORT=https://a.example\nOTHER=1\n",
  );
  expect(JSON.parse(await readFile(at("package.json"), "utf8"))).toEqual({
    ...manifest,
    scripts: { deploy: "jackfield deploy dev", lint: "eslint nango" },
    devDependencies: { jackfield: expect.stringMatching(/^\d+\.\d+\.\d+/), zod: "4.0.5" },
  });
  expect(await readFile(at("node_modules/nango/index.ts"), "utf8")).toBe(sync);
});
