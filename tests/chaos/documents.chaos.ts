import { test } from "vitest";
import { compileDocuments } from "../openapi/compile-documents.ts";
import { createProject } from "../openapi/project.ts";

test("T7: at least 98 % of the operations of real documents become actions that compile, and the others are listed", {
  timeout: 30 * 60_000,
}, async () => {
  await using project = await createProject();
  await compileDocuments(project, { oneIn: 1 });
});
