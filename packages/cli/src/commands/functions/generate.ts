import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { recordingPath } from "../../dryrun/recording-file.ts";
import { writeFunctionDocs } from "../../generate/write-function-docs.ts";
import { writeFunctionTest } from "../../generate/write-function-test.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import type { BuiltFunction } from "../../project/build-project.ts";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";
import { buildFiles, listFunctionFiles, selectIntegration } from "../../project/select-function.ts";
import { goClientCommand } from "../generate-go-client.ts";
import { actionsCommand } from "./generate-actions.ts";

const nothingToWrite =
  "There is nothing to write: each function has its files, or no recording yet (`jackfield dryrun --save`).";

interface GenerateOptions {
  path?: string;
  integration?: string;
  json?: true;
}

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

export function generateCommand(): Command {
  return new Command("generate")
    .description(
      "write documents or tests from the project's functions, actions from an OpenAPI document, or a client in Go",
    )
    .addHelpText("after", "\nExamples:\n  $ jackfield generate docs\n  $ jackfield generate tests")
    .addCommand(actionsCommand("actions"))
    .addCommand(goClientCommand("go-client"))
    .addCommand(docsCommand("docs"))
    .addCommand(testsCommand("tests"));
}

/** The names with a colon, as others write them. */
export function generateAliases(): Command[] {
  return [
    actionsCommand("generate:actions"),
    docsCommand("generate:docs"),
    testsCommand("generate:tests"),
  ];
}

function docsCommand(name: string): Command {
  return new Command(name)
    .description("write a Markdown page for each function")
    .option(
      "-p, --path <folder>",
      "folder for all pages; default: docs/ next to each integration's functions",
    )
    .option("-i, --integration <id>", "only this integration's functions")
    .option("--json", "print the files' paths as JSON")
    .addHelpText("after", "\nExample:\n  $ jackfield generate docs --path docs")
    .action(async (options: GenerateOptions) => {
      await generate(options, (fn, { all }) => {
        const folder =
          options.path === undefined
            ? `${fn.integrationId}/docs`
            : `${options.path}/${fn.integrationId}`;
        return { path: `${folder}/${nameOf(fn, all)}.md`, text: writeFunctionDocs(fn) };
      });
    });
}

function testsCommand(name: string): Command {
  return new Command(name)
    .description("write a vitest file for each function that has a recording")
    .option("-i, --integration <id>", "only this integration's functions")
    .option("--json", "print the files' paths as JSON")
    .addHelpText(
      "after",
      "\nFiles that are there stay as they are. The project needs vitest: npm install --save-dev vitest\n" +
        "\nExample:\n  $ jackfield generate tests",
    )
    .action(async (options: GenerateOptions) => {
      await generate(options, (fn, { all, projectDir }) => {
        const path = `${fn.integrationId}/tests/${nameOf(fn, all)}.test.ts`;
        const isWanted =
          existsSync(join(projectDir, recordingPath(fn))) && !existsSync(join(projectDir, path));
        return isWanted ? { path, text: writeFunctionTest(fn) } : undefined;
      });
    });
}

interface Project {
  readonly projectDir: string;
  readonly all: readonly BuiltFunction[];
}

/** With its type where a sync and an action share a name. */
function nameOf(fn: BuiltFunction, all: readonly BuiltFunction[]): string {
  const isShared = all.some(
    (other) =>
      other !== fn &&
      other.integrationId === fn.integrationId &&
      other.functionName === fn.functionName,
  );
  return isShared ? `${fn.functionName}.${fn.description.type}` : fn.functionName;
}

function hasVitest(projectDir: string): boolean {
  try {
    createRequire(join(projectDir, "package.json")).resolve("vitest/package.json");
    return true;
  } catch {
    return false;
  }
}

async function generate(
  options: GenerateOptions,
  write: (fn: BuiltFunction, project: Project) => GeneratedFile | undefined,
): Promise<void> {
  const projectDir = findProject();
  using progress = startProgress();
  progress.show("checking types and bundling");
  const wanted = selectIntegration(await listFunctionFiles(projectDir), options.integration);
  const { functions, warnings } = await buildFiles(projectDir, wanted);
  if (options.json !== true) presentWarnings(warnings);
  const project = { projectDir, all: functions };
  const files = functions.flatMap((fn) => write(fn, project) ?? []);
  for (const { path, text } of files) {
    await mkdir(dirname(join(projectDir, path)), { recursive: true });
    await writeFile(join(projectDir, path), text);
  }
  progress[Symbol.dispose]();
  if (files.some(({ path }) => path.endsWith(".test.ts")) && !hasVitest(projectDir)) {
    console.error("vitest is not installed in the project: npm install --save-dev vitest");
  }
  if (options.json === true) printJson({ files: files.map(({ path }) => path) });
  else if (files.length === 0) console.log(nothingToWrite);
  else for (const { path } of files) console.log(`Wrote ${path}`);
}
