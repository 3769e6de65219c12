// `npm run generate` writes the files that are made from others; with --check it only compares.
import { readFile, writeFile } from "node:fs/promises";
import { CatalogueError } from "@jackfield/catalogue/files";
import { buildOpenApi, findUndescribed, routes } from "@jackfield/contract";
import {
  checkPatterns,
  LINEAR_PATTERNS,
  readLinearPatterns,
} from "./checks/patterns/slow-patterns.ts";
import { readTree } from "./checks/tree.ts";
import { typesTargets } from "./client-types/targets.ts";
import { writeRoutes } from "./client-types/write-routes.ts";
import { type TypesTarget, writeTypes, writeTypesBySection } from "./client-types/write-types.ts";
import { catalogueFiles } from "./generate/generate-catalogue.ts";
import { listMigrations } from "./generate/list-migrations.ts";
import { printJson } from "./generate/print-json.ts";
import { writeBodyLimits } from "./generate/write-body-limits.ts";
import { writeCommands } from "./generate/write-commands.ts";
import { writeFunctionLimits } from "./generate/write-function-limits.ts";
import { writeMetrics } from "./generate/write-metrics.ts";

interface GeneratedFile {
  readonly path: string;
  readonly make: () => Promise<string>;
}

/** Fields of the API that nobody has described. */
class UndescribedError extends Error {}

const root = new URL("../", import.meta.url);

const files: readonly GeneratedFile[] = [
  {
    path: "packages/contract/openapi.json",
    make: writeOpenApi,
  },
  {
    path: "docs/cli.md",
    make: async () => await writeCommands(await readFile(new URL("docs/cli.md", root), "utf8")),
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
  ...Object.entries(typesTargets).flatMap(([path, target]) => listTypeFiles(path, target)),
  { path: "packages/dashboard/src/data/route-paths.ts", make: async () => writeRoutes(routes) },
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

function listTypeFiles(path: string, target: TypesTarget): GeneratedFile[] {
  const document = buildOpenApi(routes);
  if (!path.endsWith("/")) return [{ path, make: async () => writeTypes(document, target) }];
  return [...writeTypesBySection(document, target)].map(([name, text]) => ({
    path: `${path}${name}`,
    make: async () => text,
  }));
}

async function writeOpenApi(): Promise<string> {
  const document = buildOpenApi(routes);
  const undescribed = findUndescribed(document);
  if (undescribed.length === 0) return `${printJson(document)}\n`;
  throw new UndescribedError(
    [
      "Say what each of these fields means, with `.describe` or `.meta` on it in packages/contract:",
      ...undescribed,
    ].join("\n  "),
  );
}

/** Faults of provider files and of the contract are for people: a line each, without a stack. */
function reportFaults(error: unknown): undefined {
  if (!(error instanceof CatalogueError || error instanceof UndescribedError)) throw error;
  console.log(error.message);
  process.exitCode = 1;
}
