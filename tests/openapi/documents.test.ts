import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { compileDocuments } from "./compile-documents.ts";
import { createProject, type Project } from "./project.ts";
import { realDocuments } from "./real-documents.ts";

// Hundreds of actions are type-checked, bundled and described.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

let project: Project;
beforeAll(async () => {
  project = await createProject();
});
afterAll(async () => await project[Symbol.asyncDispose]());

test("at least 98 % of the operations of real documents become actions, the others are listed, and one in five is compiled", async () => {
  await compileDocuments(project, { oneIn: 5 });
});

test("the same document again changes nothing", async () => {
  await project.generate("again", "--openapi", realDocuments.coda, "--all");

  const again = await project.generate("again", "--openapi", realDocuments.coda, "--all");

  expect(again).toMatchObject({ written: [], kept: [] });
});
