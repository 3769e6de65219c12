import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Each command type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: TestFolder;
const run = async (...args: string[]) => await runJackfield({ cwd: folder.path, args });

const greet = (name: string) => `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Greets",
  input: z.object({ name: z.string() }),
  output: z.string(),
  exec: (_svc, input) => "${name} " + input.name,
});
`;
const recording = { input: { name: "Ada" }, output: "hello Ada", nango: {}, api: {} };

beforeAll(async () => {
  folder = await createTestFolder();
  await runJackfield({ cwd: folder.path, args: ["init"] });
  const files = {
    "crm/actions/hello.ts": greet("hello"),
    "crm/actions/contacts.ts": greet("contacts"),
    "crm/tests/hello.test.json": JSON.stringify(recording),
    "crm/tests/create-contact.test.json": "{ cut",
    "erp/actions/broken.ts": "export default {{{",
    "erp/actions/wrong.ts": greet("wrong").replace("input.name", "input.nothing"),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder.path, path, ".."), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const names = ["crm/actions/hello", "crm/actions/contacts", "erp/actions/broken"];
  for (const name of [...names, "erp/actions/wrong"]) {
    await appendFile(join(folder.path, "index.ts"), `import "./${name}.js";\n`);
  }
});
afterAll(async () => await folder[Symbol.asyncDispose]());

test("what is wrong elsewhere in the project stops neither a test nor a part that is asked for", async () => {
  const whole = await run("compile");
  const tested = await run("test", "--json");
  const named = await run("test", "crm/actions/hello");
  const documents = await run("generate", "docs", "--integration", "crm");

  expect(whole.code).toBe(3);
  expect(whole.stderr).toMatch(/erp\/actions\/broken\.ts/);
  expect(whole.stderr).toMatch(/erp\/actions\/wrong\.ts:\d+:\d+: TS/);
  expect(tested.code).toBe(5);
  expect(JSON.parse(tested.stdout)).toMatchObject({
    passed: 1,
    failed: 1,
    cases: [
      { function: "crm/create-contact", problems: [expect.stringContaining("cannot be replayed")] },
      { function: "crm/hello", problems: [] },
    ],
  });
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining("pass crm/hello") });
  expect(documents).toMatchObject({ code: 0 });
});

test("a sync and an action of one name differ by their folder", async () => {
  const both = await run("test", "crm/contacts");
  const documents = await run("generate", "docs", "--integration", "crm", "--json");

  expect(both.code).toBe(2);
  expect(both.stderr).toContain("  crm/syncs/contacts\n  crm/actions/contacts");
  expect(JSON.parse(documents.stdout).files).toEqual(
    expect.arrayContaining(["crm/docs/contacts.sync.md", "crm/docs/contacts.action.md"]),
  );
});

test("doctor tells which zod functions run with", async () => {
  const { stdout } = await run("doctor", "--json");

  const { findings } = JSON.parse(stdout);
  expect(findings).toContainEqual({
    check: "zod",
    state: "ok",
    message: expect.stringMatching(/^zod 4\.\d+\.\d+, as functions run with$/),
  });
});
