import type { Effect, Operation } from "@jackfield/functions/openapi";
import { Command } from "commander";
import type { Selection } from "../../openapi/operations/select-operations.ts";
import type { Refusal } from "../../openapi/plan-files.ts";
import type { WrittenFiles } from "../../openapi/write-files.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import { findProject } from "../../project/find-project.ts";
import { shorten } from "../../project/select-function.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface ActionsOptions extends Selection {
  openapi: string;
  effect?: string[];
  basePath?: string;
  force?: true;
  dryRun?: true;
  json?: true;
}

export function actionsCommand(name: string): Command {
  return new Command(name)
    .description("write an action for each operation of an OpenAPI document")
    .argument("<integration>", "id of the integration on the server; the folder's name")
    .requiredOption("--openapi <source>", "the document: a file or a URL")
    .option("--all", "all operations")
    .option("--tag <name...>", "operations with these tags")
    .option(
      "--operation <id...>",
      "these operations, by operation id, action name, or method and path",
    )
    .option("--path <prefix...>", "operations whose path begins with this")
    .option("--effect <action=effect...>", "what an action does: read, write or destructive")
    .option("--base-path <path>", "prefix of each path; default: the path of the document's server")
    .option("-f, --force", "also replace changed files")
    .option("--dry-run", "only list what would be written")
    .option("--json", "print the written files and the operations without an action as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ jackfield generate actions billing --openapi openapi.yaml --tag invoices\n" +
        "  $ jackfield generate actions billing --openapi https://api.example.com/openapi.json --all --dry-run",
    )
    .action(generateActions);
}

async function generateActions(integration: string, options: ActionsOptions): Promise<void> {
  const projectDir = findProject();
  const base = readBasePath(options.basePath);
  using progress = startProgress();
  progress.show("reading the document");
  const { readDocument } = await import("../../openapi/document/read-document.ts");
  const { listOperations } = await import("@jackfield/functions/openapi");
  const { selectOperations } = await import("../../openapi/operations/select-operations.ts");
  const { planFiles } = await import("../../openapi/plan-files.ts");
  const { writeFiles } = await import("../../openapi/write-files.ts");
  const document = await readDocument(options.openapi);
  const operations = selectOperations(listOperations(document), options);
  const effects = await readEffects(options.effect ?? [], operations);
  const { files, refused } = planFiles(document, operations, { base, effects });
  const isDryRun = options.dryRun === true;
  const force = options.force === true;
  const done = await writeFiles(projectDir, files, { integration, force, isDryRun });
  progress[Symbol.dispose]();
  if (options.json === true) printJson({ ...done, refused, dry_run: isDryRun });
  else present(done, refused, isDryRun);
  if (files.length === 0) {
    throw new UserError("None of the chosen operations can become an action.");
  }
}

function readBasePath(path: string | undefined): string | undefined {
  if (path === undefined || path === "" || path === "/") return path === undefined ? path : "";
  if (/^(\/[\w.~!$&'()*+,;=:@%-]+)+\/?$/.test(path)) return path.replace(/\/$/, "");
  throw new UserError(`--base-path ${path} is not a path such as /api/v2.`, {
    exitCode: exitCodes.usage,
  });
}

async function readEffects(
  given: readonly string[],
  operations: readonly Operation[],
): Promise<ReadonlyMap<string, Effect>> {
  const { effects } = await import("@jackfield/functions/openapi");
  const { isNamed } = await import("../../openapi/operations/select-operations.ts");
  return new Map(
    given.map((text) => {
      const end = text.lastIndexOf("=");
      const name = text.slice(0, Math.max(end, 0));
      const effect = effects.find((known) => known === text.slice(end + 1));
      const found = operations.find((operation) => isNamed(operation, name));
      if (effect !== undefined && found !== undefined) return [found.action, effect] as const;
      throw new UserError(
        `--effect ${text} does not name one of the chosen operations and read, write or destructive, such as search-issues=read.`,
        { exitCode: exitCodes.usage },
      );
    }),
  );
}

function present(
  { written, unchanged, kept }: WrittenFiles,
  refused: readonly Refusal[],
  isDryRun: boolean,
): void {
  const verb = isDryRun ? "Would write" : "Wrote";
  for (const path of written) console.log(`${verb} ${path}`);
  if (unchanged.length > 0) console.log(`${unchanged.length} files are as they would be written.`);
  if (kept.length > 0) {
    console.log(
      `Kept, since they were changed or not written by this command (--force replaces them):`,
    );
    console.log(shorten(kept.map((path) => `  ${path}`)));
  }
  if (refused.length > 0) {
    console.log("No actions:");
    for (const { operation, reason } of refused) console.log(`  ${operation} ${reason}`);
  }
}
