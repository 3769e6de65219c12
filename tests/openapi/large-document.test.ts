import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createProject } from "./project.ts";

vi.setConfig({ testTimeout: 600_000 });

const OPERATIONS = 3000;

/** Over 10 MB: schemas that all refer to each other, and texts. */
function largeDocument(): string {
  const words = "What this is about, at some length. ".repeat(40);
  const schemas = Object.fromEntries(
    Array.from({ length: 1500 }, (_, index) => [
      `S${index}`,
      {
        type: "object",
        description: words,
        allOf: [{ $ref: `#/components/schemas/S${(index * 7 + 1) % 1500}` }],
        properties: Object.fromEntries(
          Array.from({ length: 12 }, (_, field) => [
            `f${field}`,
            {
              $ref: `#/components/schemas/S${(index + field * 31) % 1500}`,
              description: words.slice(0, 200),
            },
          ]),
        ),
      },
    ]),
  );
  const json = (index: number) => ({
    "application/json": { schema: { $ref: `#/components/schemas/S${index % 1500}` } },
  });
  const paths = Object.fromEntries(
    Array.from({ length: OPERATIONS }, (_, index) => [
      `/things${index}/{id}`,
      {
        post: {
          operationId: `makeThing${index}`,
          description: words,
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          requestBody: { required: true, content: json(index) },
          responses: { 200: { description: "", content: json(index + 1) } },
        },
      },
    ]),
  );
  return JSON.stringify({ openapi: "3.0.0", info: {}, paths, components: { schemas } });
}

test("a document of 10 MB and 3,000 operations, whose schemas hold each other, is read with a heap of 300 MB", async () => {
  await using project = await createProject({ NODE_OPTIONS: "--max-old-space-size=300" });
  const text = largeDocument();
  expect(text.length).toBeGreaterThan(10_000_000);
  const source = join(project.path, "large.json");
  await writeFile(source, text);

  const { written, refused } = await project.generate("crm", "--openapi", source, "--all");

  expect(refused).toEqual([]);
  expect(written).toHaveLength(OPERATIONS + 1);
  const action = await project.read("crm/actions/make-thing2999.ts");
  expect(action.length).toBeLessThan(200_000);
  expect(action).toContain("// Left open: in the input,");
});
