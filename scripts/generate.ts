// `npm run generate` writes the files that are made from others; with --check it only compares.
import { readFile, writeFile } from "node:fs/promises";
import { CatalogueError } from "@jackfield/catalogue/files";
import { buildOpenApi, routes } from "@jackfield/contract";
import {
  checkPatterns,
  LINEAR_PATTERNS,
  readLinearPatterns,
} from "./checks/patterns/slow-patterns.ts";
import { readTree } from "./checks/tree.ts";
import { catalogueFiles } from "./generate-catalogue.ts";
import { listMigrations } from "./list-migrations.ts";
import { writeBodyLimits } from "./write-body-limits.ts";
import { writeFunctionLimits } from "./write-function-limits.ts";
import { writeMetrics } from "./write-metrics.ts";

interface GeneratedFile {
  readonly path: string;
  readonly make: () => Promise<string>;
}

const root = new URL("../", import.meta.url);

const files: readonly GeneratedFile[] = [
  {
    path: "packages/contract/openapi.json",
    make: async () => `${JSON.stringify(buildOpenApi(routes), null, 2)}\n`,
  },
  {
    path: "docs/functions.md",
    make: async () =>
      writeFunctionLimits(await readFile(new URL("docs/functions.md", root), "utf8")),
  },
  { path: "packages/server/migrations/checksums.json", make: listMigrations },
  {
    path: "docs/limits.md",
    make: async () => writeBodyLimits(await readFile(new URL("docs/limits.md", root), "utf8")),
  },
  {
    path: "docs/observability.md",
    make: async () => writeMetrics(await readFile(new URL("docs/observability.md", root), "utf8")),
  },
  ...catalogueFiles,
];

const onlyCheck = process.argv.includes("--check");
for (const { path, make } of files) {
  const wanted = await make().catch(reportFaults);
  if (wanted === undefined) break;
  const present = await readFile(new URL(path, root), "utf8").catch(() => undefined);
  if (present === wanted) continue;
  if (onlyCheck) {
    console.log(`${path} is out of date; run: npm run generate`);
    process.exitCode = 1;
  } else {
    await writeFile(new URL(path, root), wanted);
    console.log(`wrote ${path}`);
  }
}

// The house rules check new patterns one by one, so that a list without them is no fault.
if (!onlyCheck) {
  const tree = await readTree();
  const { linear } = await checkPatterns(tree, readLinearPatterns(tree));
  await writeFile(new URL(LINEAR_PATTERNS, root), `${linear.join("\n")}\n`);
}

/** Faults of the provider files are for people: a line each, without a stack. */
function reportFaults(error: unknown): undefined {
  if (!(error instanceof CatalogueError)) throw error;
  console.log(error.message);
  process.exitCode = 1;
}
