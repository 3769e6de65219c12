import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runJackfield, startJackfield } from "../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../testing/test-folder.ts";

// Each command is a process of its own that type-checks a project: slow where many share a core.
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
    await seen(/functions compiled in[\s\S]*Waiting for changes/);
    await writeFile(file, source.replace("id: z.string()", "id: z.number()"));
    await seen(/TS2322[\s\S]*Waiting for changes/);
    await writeFile(file, source);
    await seen(/functions compiled in[\s\S]*Waiting for changes/);
  } finally {
    child.kill("SIGTERM");
  }
  await expect.poll(() => child.exitCode ?? child.signalCode, { timeout: 5000 }).toBe(0);
}, 60_000);
