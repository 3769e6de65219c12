import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import { createProgram } from "../../program.ts";
import type { TestPlatform } from "../../test.ts";
import { type Outcome, runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: TestFolder;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, platform] = await Promise.all([createTestFolder(), startOnClone()]);
  await run("init");
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function run(...args: string[]): Promise<Outcome> {
  const env = { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url };
  return await runJackfield({ cwd: folder.path, args, env });
}

const skills = new URL("../../../skills/", import.meta.url);

async function readSkill(name: string): Promise<string> {
  return await readFile(new URL(`${name}/SKILL.md`, skills), "utf8");
}

test("an agent that is let in to look has a key that looks, and not more", async () => {
  const refused = await run("mcp", "manage", "cursor", "--days", "0");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain("--days is a number from 1 to 365");

  const done = await run("mcp", "manage", "cursor");

  expect(done, done.stderr).toMatchObject({ code: 0 });
  const file = await readFile(join(folder.path, ".cursor", "mcp.json"), "utf8");
  const { url, headers } = JSON.parse(file).mcpServers["jackfield-manage"];
  expect(url).toBe(`${platform.url}/mcp/manage`);
  const call = (path: string, method = "GET") =>
    fetch(platform.url + path, { method, headers: { authorization: headers.Authorization } });
  expect((await call("/problems")).status).toBe(200);
  expect((await call("/sync/trigger", "POST")).status).toBe(403);
  expect((await call("/environment/api-keys")).status).toBe(403);
});

test("skills come into the project, and what was changed there stays", async () => {
  const first = await run("skills", "--folder", ".agents/skills");
  expect(first, first.stderr).toMatchObject({ code: 0 });
  const file = join(folder.path, ".agents", "skills", "jackfield-functions", "SKILL.md");
  expect(await readFile(file, "utf8")).toBe(await readSkill("jackfield-functions"));

  await writeFile(file, "mine");
  const second = await run("skills", "--folder", ".agents/skills");
  expect(second).toMatchObject({ code: 1 });
  expect(second.stderr).toContain("is there already; --force replaces it");
  expect(await readFile(file, "utf8")).toBe("mine");
  const third = await run("skills", "--folder", ".agents/skills", "--force");
  expect(third).toMatchObject({ code: 0 });
  expect(await readFile(file, "utf8")).not.toBe("mine");
});

test("the functions that a skill shows compile", async () => {
  const text = await readSkill("jackfield-functions");
  const [action, sync] = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? "");
  for (const [name, kind, code] of [
    ["create-it", "--action", action],
    ["keep", "--sync", sync],
  ] as const) {
    const made = await run("create", "sales", name, kind, "--json");
    expect(made, made.stderr).toMatchObject({ code: 0 });
    await writeFile(join(folder.path, JSON.parse(made.stdout).file), code ?? "");
  }

  const compiled = await run("compile");

  expect(compiled, compiled.stderr + compiled.stdout).toMatchObject({ code: 0 });
});

test("each command that a skill names is there", async () => {
  const known = (await createProgram()).commands.map((command) => command.name());
  for (const name of await readdir(skills)) {
    const named = [...(await readSkill(name)).matchAll(/`jackfield ([a-z-]+)/g)];
    expect(named.length).toBeGreaterThan(1);
    for (const [, command] of named) expect(known, name).toContain(command);
  }
});
