import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { spawnJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Each command is a process of its own that type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const syncFile = "crm/syncs/contacts.ts";
let folder: TestFolder;
let originals: { readonly file: string; readonly text: string }[];

beforeAll(async () => {
  folder = await createTestFolder();
  await spawnJackfield({ cwd: folder.path, args: ["init"] });
  originals = await Promise.all(
    [syncFile, "index.ts"].map(async (file) => ({
      file,
      text: await readFile(join(folder.path, file), "utf8"),
    })),
  );
});
beforeEach(async () => {
  for (const { file, text } of originals) await writeFile(join(folder.path, file), text);
});
afterAll(async () => await folder[Symbol.asyncDispose]());

test("points at the author's line and column, and builds nothing", async () => {
  const line = await replaceInSync('"Contact");', '"Contakt");');

  const outcome = await spawnJackfield({ cwd: folder.path, args: ["compile"] });

  expect(outcome.code).toBe(3);
  expect(outcome.stderr).toMatch(
    new RegExp(`^${syncFile}:${line}:\\d+: TS2769: .*\n.*\n +Argument of type '"Contakt"'`, "m"),
  );
  expect(outcome.stderr).toMatch(new RegExp(`^> ${line} \\|.*"Contakt"\\);$`, "m"));
  expect(outcome.stderr).toMatch(/^ +\| +\^$/m);
  expect(outcome.stderr).not.toContain("node_modules");
  expect(existsSync(join(folder.path, "build"))).toBe(false);
});

test("refuses an import that functions cannot have, at its place", async () => {
  const import1 = 'import { readFileSync } from "node:fs";';
  await replaceInSync(
    'import { createSync } from "jackfield";',
    `import { createSync } from "jackfield";\n${import1}\nexport const home = readFileSync("/etc/hosts");`,
  );

  const outcome = await spawnJackfield({ cwd: folder.path, args: ["compile"] });

  expect(outcome.code).toBe(3);
  expect(outcome.stderr).toContain(`${syncFile}:2:`);
  expect(outcome.stderr).toContain('"fs" is not available to functions');
});

test("tells once of a module that is missing", async () => {
  await replaceInSync(
    'import { createSync } from "jackfield";',
    'import { createSync } from "jackfield";\nimport { missing } from "not-installed";\nexport const kept = missing;',
  );

  const outcome = await spawnJackfield({ cwd: folder.path, args: ["compile"] });

  expect(outcome.code).toBe(3);
  expect(outcome.stderr.match(new RegExp(`^${syncFile}:2:`, "gm"))).toHaveLength(1);
  expect(outcome.stderr).toMatch(/TS2307: Cannot find module 'not-installed'/);
});

test("refuses a call that is not awaited, and tells of it as JSON", async () => {
  const line = await replaceInSync("await svc.batchSave", "svc.batchSave");

  const outcome = await spawnJackfield({ cwd: folder.path, args: ["compile", "--json"] });

  expect(outcome.code).toBe(3);
  expect(JSON.parse(outcome.stdout).errors).toMatchObject([
    { file: syncFile, line, message: expect.stringContaining("svc.batchSave is not awaited") },
  ]);
  expect(outcome.stderr).not.toContain("\u001b");
});

test("refuses a function that index.ts names and that is not there", async () => {
  const index = join(folder.path, "index.ts");
  const text = await readFile(index, "utf8");
  await writeFile(index, `${text}import "./crm/syncs/deals.js";\n`);

  const outcome = await spawnJackfield({ cwd: folder.path, args: ["compile"] });

  expect(outcome.code).toBe(3);
  expect(outcome.stderr).toContain("index.ts:4:");
  expect(outcome.stderr).toContain("crm/syncs/deals.ts does not exist");
});

test("names paths from where the command is run and removes what is no longer built", async () => {
  const index = join(folder.path, "index.ts");
  await spawnJackfield({ cwd: folder.path, args: ["compile"] });
  await writeFile(index, 'import "./crm/syncs/contacts.js";\n');

  const outcome = await spawnJackfield({
    cwd: join(folder.path, "crm"),
    args: ["compile", "--json"],
  });

  expect(outcome.code).toBe(0);
  expect(JSON.parse(outcome.stdout)).toMatchObject({
    functions: [{ integration: "crm", type: "sync", name: "contacts" }],
    warnings: [{ file: "actions/create-contact.ts" }],
  });
  expect(existsSync(join(folder.path, "build/crm_sync_contacts.cjs"))).toBe(true);
  expect(existsSync(join(folder.path, "build/crm_action_create-contact.cjs"))).toBe(false);
});

/** Changes the sync's source and returns the line of the change, counted from 1. */
async function replaceInSync(from: string, to: string): Promise<number> {
  const path = join(folder.path, syncFile);
  const text = await readFile(path, "utf8");
  const start = text.indexOf(from);
  if (start === -1) throw new Error(`${syncFile} does not hold ${from}`);
  await writeFile(path, text.replace(from, to));
  return text.slice(0, start).split("\n").length;
}
