import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { spawnJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder } from "../../testing/test-folder.ts";

// Each command is a process of its own that type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

test("makes a project that compiles at once, and does not overwrite it", async () => {
  await using folder = await createTestFolder();
  const project = join(folder.path, "My Functions");

  const made = await spawnJackfield({ cwd: folder.path, args: ["init", "My Functions"] });
  const compiled = await spawnJackfield({ cwd: project, args: ["compile"] });
  const again = await spawnJackfield({ cwd: project, args: ["init"] });

  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).toContain("npx jackfield deploy dev");
  expect(compiled).toMatchObject({ code: 0, stderr: "" });
  expect(compiled.stdout).toContain("crm/syncs/contacts.ts -> build/crm_sync_contacts.cjs");
  expect(existsSync(join(project, "build", "crm_action_create-contact.cjs"))).toBe(true);
  expect(JSON.parse(await readFile(join(project, "package.json"), "utf8"))).toMatchObject({
    name: "my-functions",
  });
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/already has .*tsconfig\.json.*overwrites nothing/);
});

test("writes nothing at all when one of its files is there", async () => {
  await using folder = await createTestFolder();
  await writeFile(join(folder.path, "index.ts"), "// mine");

  const outcome = await spawnJackfield({ cwd: folder.path, args: ["init"] });

  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toContain("already has index.ts:");
  expect(await readdir(folder.path)).toEqual(["index.ts"]);
  expect(await readFile(join(folder.path, "index.ts"), "utf8")).toBe("// mine");
});

test("runs on an older Node by starting Node 26 itself", async (context) => {
  const node =
    findOlderNode() ??
    context.skip("not run: there is no Node older than 26 in /usr/bin or /usr/local/bin");
  await using folder = await createTestFolder();

  const version = await spawnJackfield({ cwd: folder.path, args: ["version"], node });
  const wrong = await spawnJackfield({ cwd: folder.path, args: ["compile"], node });

  expect(version).toMatchObject({ code: 0, stderr: "" });
  expect(version.stdout).toMatch(/^jackfield \d+\.\d+\.\d+ \(Node 26\./);
  expect(wrong.code).toBe(1);
});

test("tells wrong calls from failures by the exit code", async () => {
  await using folder = await createTestFolder();

  const unknown = await spawnJackfield({ cwd: folder.path, args: ["frobnicate"] });
  const help = await spawnJackfield({ cwd: folder.path, args: ["deploy", "--help"] });
  const outside = await spawnJackfield({ cwd: folder.path, args: ["compile"] });

  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("SVC_SECRET_KEY_<ENVIRONMENT>");
  expect(outside.code).toBe(1);
  expect(outside.stderr).toContain("is not in a function project");
});

function findOlderNode(): string | undefined {
  return ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
    if (!existsSync(path)) return false;
    const major = Number(
      execFileSync(path, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }),
    );
    return major >= 20 && major < 26;
  });
}
