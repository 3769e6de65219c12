import { writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../../test.ts";
import { type Outcome, runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Slow where many share a core.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let folder: TestFolder;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, platform] = await Promise.all([createTestFolder(), startOnClone()]);
  for (const unique_key of ["crm", "desk"]) {
    const response = await fetch(`${platform.url}/integrations`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${platform.keys.dev}`, "content-type": "application/json" },
      },
      body: JSON.stringify({ unique_key, provider: "private-api-bearer" }),
    });
    expect(response.status).toBe(200);
  }
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function run(...args: string[]): Promise<Outcome> {
  const env = { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url };
  return await runJackfield({ cwd: folder.path, args, env });
}

async function toolsets(...args: string[]): Promise<Outcome> {
  return await run("toolsets", ...args);
}

test("a toolset is saved by options, shown, saved again from that file, listed and deleted", async () => {
  const file = join(folder.path, "helper.json");

  const made = await toolsets(
    ...["save", "helper", "--tool", "crm:find,create", "--tool", "desk", "--mode", "search"],
  );
  const shown = await toolsets("show", "helper");
  await writeFile(file, shown.stdout);
  const same = await toolsets("save", "helper", "--file", file);
  const next = await toolsets("save", "helper", "--file", file, "--preset", "read_only");
  const listed = await toolsets("list", "--integration", "desk");
  const first = await toolsets("show", "helper", "--of", "1", "--json");
  const gone = await toolsets("delete", "helper");
  const missing = await toolsets("show", "helper");

  expect([made.code, made.stdout]).toEqual([0, "helper is saved as version 1.\n"]);
  expect(JSON.parse(shown.stdout)).toEqual({
    ...{ description: "", mode: "search", policy: { preset: "careful" } },
    tools: [{ integration: "crm", actions: ["find", "create"] }, { integration: "desk" }],
  });
  expect(same.stdout).toBe("helper is saved as version 1.\n");
  expect(next.stdout).toBe("helper is saved as version 2.\n");
  expect(listed.stdout).toMatch(/helper +2 +search +crm, desk/);
  expect(JSON.parse(first.stdout)).toMatchObject({ data: { version: 1, name: "helper" } });
  expect([gone.code, gone.stderr]).toEqual([0, ""]);
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain('No toolset "helper"');
});

test("what cannot be saved is said in words", async () => {
  const file = join(folder.path, "broken.json");
  await writeFile(file, "[1, 2");

  const nothing = await toolsets("save", "helper");
  const broken = await toolsets("save", "helper", "--file", file);
  const absent = await toolsets("save", "helper", "--file", "absent.json");
  const selection = await toolsets("save", "helper", "--tool", "crm:");
  const unknown = await toolsets("save", "helper", "--tool", "other");

  expect(nothing).toMatchObject({ code: 2 });
  expect(nothing.stderr).toContain("Give --file or --tool");
  expect(broken.stderr).toContain("is no JSON object");
  expect(absent.stderr).toContain("absent.json cannot be read");
  expect(selection.stderr).toContain("write it as integration or integration:tool,tool");
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("other");
});

test("the tools of a toolset are printed as TypeScript that compiles", async () => {
  await putDocument();
  await toolsets("save", "typed", "--tool", "crm");

  const printed = await run("tools", "--form", "ts", "--toolset", "typed");
  const alone = await run("tools", "--form", "ts");
  const missing = await run("tools", "--form", "ts", "--toolset", "none");

  expect([printed.code, printed.stderr]).toEqual([0, ""]);
  expect(printed.stdout).toContain("export interface Tools {");
  expect(printed.stdout).toContain("read: Finds people * / export const evil = 1; /*");
  expect(printed.stdout).toContain(
    '"crm__find-people"(input: { name: string; limit?: number; kind?: "a" | "b" }, options?: { account?: string }): Promise<unknown>;',
  );
  expect(printed.stdout.match(/"crm__many-\d+"\(/g)).toHaveLength(120);
  // It throws for what is no TypeScript, and types are all that is stripped.
  expect(stripTypeScriptTypes(printed.stdout).trim()).toMatch(
    /^\/\/ Tools of the toolset typed[^\n]*$/,
  );
  expect(alone).toMatchObject({ code: 2 });
  expect(missing.stderr).toContain('No toolset "none"');
});

async function putDocument(): Promise<void> {
  const parameter = (name: string, schema: object, required = false) => ({
    ...{ name, in: "query", required, schema },
  });
  const responses = { 200: { description: "Done" } };
  const many = Array.from({ length: 120 }, (_, index) => [
    `/many/${index}`,
    { get: { operationId: `many-${index}`, responses } },
  ]);
  const find = {
    ...{ operationId: "find-people", description: "Finds people */ export const evil = 1; /*" },
    parameters: [
      parameter("name", { type: "string" }, true),
      parameter("limit", { type: "integer" }),
      parameter("kind", { type: "string", enum: ["a", "b"] }),
    ],
    responses,
  };
  const document = {
    ...{ openapi: "3.0.0", info: { title: "CRM", version: "1" } },
    paths: { "/people": { get: find }, ...Object.fromEntries(many) },
  };
  const response = await fetch(`${platform.url}/integrations/crm/openapi`, {
    method: "PUT",
    headers: {
      ...{ authorization: `Bearer ${platform.keys.dev}`, "content-type": "application/json" },
    },
    body: JSON.stringify({ document: JSON.stringify(document) }),
  });
  expect(response.status, await response.text()).toBe(200);
}
