import { expect, test, vi } from "vitest";
import { compileDocuments } from "./compile-documents.ts";
import { createProject } from "./project.ts";
import { realDocuments } from "./real-documents.ts";

// Hundreds of actions are type-checked, bundled and described.
vi.setConfig({ testTimeout: 600_000 });

test("at least 98 % of the operations of real documents become actions, the others are listed, and one in five is compiled", async () => {
  await compileDocuments({ oneIn: 5 });
});

test("the same document again changes nothing", async () => {
  await using project = await createProject();
  await project.generate("coda", "--openapi", realDocuments.coda, "--all");

  const again = await project.generate("coda", "--openapi", realDocuments.coda, "--all");

  expect(again).toMatchObject({ written: [], kept: [] });
});
