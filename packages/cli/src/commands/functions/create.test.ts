import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runJackfield, startJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Each command type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: TestFolder;

beforeAll(async () => {
  folder = await createTestFolder();
  await runJackfield({ cwd: folder.path, args: ["init"] });
});
afterAll(async () => await folder[Symbol.asyncDispose]());

const run = async (...args: string[]) => await runJackfield({ cwd: folder.path, args });

test("functions of every kind are made, compile as they are, and are documented", async () => {
  const sync = await run("create", "crm", "open-deals", "--sync");
  const action = await run("create", "crm", "close-deal", "--action", "--json");
  const onEvent = await run("create", "erp", "greet", "--on-event");
  const again = await run("create", "crm", "open-deals", "--sync");
  const nothing = await run("create", "crm", "x");
  const outside = await run("create", "..", "x", "--action");
  const compiled = await run("compile", "--json");
  const documents = await run("generate", "docs", "--path", "docs");

  expect([sync.code, action.code, onEvent.code]).toEqual([0, 0, 0]);
  expect(JSON.parse(action.stdout)).toEqual({ file: "crm/actions/close-deal.ts" });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was written") });
  expect(again.stderr).not.toContain("--force");
  expect(outside).toMatchObject({ code: 2, stderr: expect.stringContaining('".." cannot be') });
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("--on-event") });
  expect(compiled.code).toBe(0);
  const names = JSON.parse(compiled.stdout).functions.map((fn: { name: string }) => fn.name);
  expect(names).toEqual(["contacts", "create-contact", "open-deals", "close-deal", "greet"]);
  expect(documents.stdout).toContain("Wrote docs/erp/greet.md");
  const page = await readFile(join(folder.path, "docs/crm/create-contact.md"), "utf8");
  expect(page).toContain("| `email` | string (email) | yes |");
  expect(page).toContain("| `company` | string or null | yes |");
});

test("a sync of a known provider leaves the pages to the catalogue, and compiles", async () => {
  const made = await run("create", "hubspot", "people", "--sync");
  const text = await readFile(join(folder.path, "hubspot/syncs/people.ts"), "utf8");
  const compiled = await run("compile", "--json");
  const removed = await run("rm", "hubspot/people", "--json");

  expect(made.code).toBe(0);
  expect(text).toContain("How this provider pages its lists is known");
  expect(text).not.toContain("cursor_path_in_response");
  expect(compiled.code, compiled.stdout).toBe(0);
  expect(JSON.parse(removed.stdout)).toEqual({ files: ["hubspot/syncs/people.ts"] });
});

test("a function is renamed and removed with its recordings and its line", async () => {
  const at = (path: string) => join(folder.path, path);
  const recording = { format: 1, integration: "crm", function: "contacts", cases: [] };
  await mkdir(at("crm/tests"), { recursive: true });
  await writeFile(at("crm/tests/contacts.test.json"), JSON.stringify(recording));
  const test = 'import d from "../syncs/contacts.js";\nnew URL("./contacts.test.json", d);\n';
  await writeFile(at("crm/tests/contacts.test.ts"), test);

  const taken = await run("rename", "contacts", "open-deals");
  const renamed = await run("rename", "crm/contacts", "people", "--json");
  const index = await readFile(at("index.ts"), "utf8");
  const moved = JSON.parse(await readFile(at("crm/tests/people.test.json"), "utf8"));
  const movedTest = await readFile(at("crm/tests/people.test.ts"), "utf8");
  const compiled = await run("compile", "--json");
  const wrong = await run("rename", "people", "a/b");
  const removed = await run("rm", "crm/people");
  const unknown = await run("rm", "crm/people");

  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was changed") });
  expect(JSON.parse(renamed.stdout).files).toEqual([
    "crm/syncs/people.ts",
    "crm/tests/people.test.json",
    "crm/tests/people.test.ts",
  ]);
  expect(index).toContain("./crm/syncs/people.js");
  expect(index).not.toContain("./crm/syncs/contacts.js");
  expect(moved).toEqual({ ...recording, function: "people" });
  expect(movedTest).toBe(test.replaceAll("contacts", "people"));
  const names = JSON.parse(compiled.stdout).functions.map((fn: { name: string }) => fn.name);
  expect(names).toContain("people");
  expect(wrong.code).toBe(2);
  expect(removed.stdout).toContain("--allow-destructive");
  expect(await readFile(at("index.ts"), "utf8")).not.toContain("people");
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("index.ts has no") });
});

test("dev compiles at each change, tells what is wrong, and continues", async () => {
  const file = join(folder.path, "crm/contact.ts");
  const source = await readFile(file, "utf8");
  const child = startJackfield({ cwd: folder.path, args: ["dev"] });
  let output = "";
  const onData = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout?.on("data", onData);
  child.stderr?.on("data", onData);
  const seen = async (pattern: RegExp) => {
    await expect.poll(() => output, { timeout: 25_000, interval: 50 }).toMatch(pattern);
    output = "";
  };

  try {
    await seen(/functions? compiled in[\s\S]*Waiting for changes/);
    await writeFile(file, source.replace("id: z.string()", "id: z.number()"));
    await seen(/TS2322[\s\S]*Waiting for changes/);
    await writeFile(file, source);
    await seen(/functions? compiled in[\s\S]*Waiting for changes/);
  } finally {
    child.kill("SIGTERM");
  }
  await expect.poll(() => child.exitCode ?? child.signalCode, { timeout: 5000 }).toBe(0);
}, 60_000);
