import { basename } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createProject, type Generated, type Project } from "./project.ts";
import { realDocuments, swaggerDocument } from "./real-documents.ts";

// A thousand actions are type-checked, bundled and described.
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 });

// Further documents to try by hand, with commas between their paths: GitHub's is too large for a dependency.
// biome-ignore lint/style/noProcessEnv: for who runs this file by hand
const others = (process.env["OPENAPI_DOCUMENTS"] ?? "").split(",").filter((path) => path !== "");

const documents = [
  ...Object.entries(realDocuments),
  ["petstore", swaggerDocument] as const,
  ...others.map((path) => [basename(path).replace(/\W.*/, ""), path] as const),
];

let project: Project;
beforeAll(async () => {
  project = await createProject();
});
afterAll(async () => await project[Symbol.asyncDispose]());

test("at least 98 % of the operations of real documents become actions that compile, and the others are listed", async () => {
  const made = new Map<string, Generated>();
  for (const [name, path] of documents) {
    made.set(name, await project.generate(name, "--openapi", path, "--all"));
  }

  const compiled = await project.run("compile", "--json");

  expect(compiled.code, compiled.stdout.slice(0, 5000)).toBe(0);
  const { functions } = JSON.parse(compiled.stdout);
  for (const [name, { written, refused }] of made) {
    const actions = written.filter((path) => path.startsWith(`${name}/actions/`)).length;
    const built = functions.filter((fn: { integration: string }) => fn.integration === name).length;
    expect(built, name).toBe(actions);
    expect(actions / (actions + refused.length), name).toBeGreaterThanOrEqual(0.98);
    for (const { reason } of refused) expect(reason).toMatch(/^(is|has|needs|takes|refers|does) /);
  }
});

test("the same document again changes nothing", async () => {
  const again = await project.generate("coda", "--openapi", realDocuments.coda, "--all");

  expect(again).toMatchObject({ written: [], kept: [] });
});
