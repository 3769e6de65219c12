import { watch } from "node:fs";
import { sep } from "node:path";
import { Command } from "commander";
import { readProjectSettings } from "../../config.ts";
import { type DevPage, openDevPage } from "../../dev/open-dev-page.ts";
import { wantsPage } from "../../dev/wants-page.ts";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";
import { ProjectBuild } from "../../project/project-build.ts";
import { messageOf, UserError } from "../../user-error.ts";
import { addRunOptions, type DryRunOptions, runOnce } from "./dryrun.ts";

interface DevOptions extends DryRunOptions {
  dryrun?: string;
  connection?: string;
  ui?: boolean;
  port?: string;
  open?: boolean;
}

interface DevProject {
  readonly projectDir: string;
  readonly build: ProjectBuild;
  readonly page: DevPage | undefined;
}

const SETTLE_MS = 100;
/** What the command itself writes, and what is not the author's. */
const IGNORED = /(^|[\\/])(node_modules|build|\.jackfield|\.git)([\\/]|$)|\.test\.json$|~$/;

export function devCommand(): Command {
  return addRunOptions(
    new Command("dev")
      .description("check and bundle after each change; with --dryrun, also run a function again")
      .option("--dryrun <function>", "run this function after each change that compiles")
      .option("--connection <id>", "connection for that run")
      .option("--ui", "show a page with the functions and their runs (default: in a terminal)")
      .option("--no-ui", "show no page")
      .option("--port <number>", "port of that page on 127.0.0.1 (default: any free port)")
      .option("--no-open", "print the link to the page, and open no browser"),
  )
    .addHelpText(
      "after",
      "\nEnds with Ctrl-C.\n" +
        "\nA page in the browser shows a function's last runs: result, what differs from the run before and\n" +
        "from the recording, log, calls to the provider, and errors at their line. Save a file, and it runs\n" +
        "again with the same input. Of the options below it takes --environment, --integration, --input\n" +
        "and --webhook. Without a terminal, in CI, with --no-ui or with another of these options there is\n" +
        "no page.\n" +
        "\nExamples:\n  $ jackfield dev\n  $ jackfield dev --no-ui\n" +
        "  $ jackfield dev --dryrun contacts --connection acme",
    )
    .action(dev);
}

async function dev(options: DevOptions): Promise<void> {
  const projectDir = findProject();
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  const build = new ProjectBuild(projectDir);
  await using opened = new AsyncDisposableStack();
  const page = await openPage(projectDir, build, options);
  if (page !== undefined) opened.use(page);
  const changed = new Set<string>();
  let changedAt: number | undefined;
  let isDirty = true;
  let wake = (): void => {};
  const watcher = watch(projectDir, { recursive: true }, (_event, name) => {
    if (name !== null && IGNORED.test(name)) return;
    changed.add((name ?? "package.json").split(sep).join("/"));
    changedAt ??= performance.now();
    isDirty = true;
    wake();
  });
  stopping.signal.addEventListener("abort", () => wake());
  try {
    while (!stopping.signal.aborted) {
      if (!isDirty) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        // Editors write a file in several steps.
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        continue;
      }
      isDirty = false;
      const seen = new Set(changed);
      changed.clear();
      const since = changedAt;
      changedAt = undefined;
      await work({ projectDir, build, page }, { changed: seen, changedAt: since }, options);
      if (!isDirty) console.log("Waiting for changes");
    }
  } finally {
    watcher.close();
  }
}

/** Who has not asked for a page gets none where it cannot be opened, and learns why. */
async function openPage(
  projectDir: string,
  build: ProjectBuild,
  options: DevOptions,
): Promise<DevPage | undefined> {
  if (!wantsPage(options, readProjectSettings(projectDir).isInteractive)) return undefined;
  try {
    return await openDevPage(projectDir, build, options);
  } catch (error) {
    if (options.ui === true || !(error instanceof UserError)) throw error;
    console.error(`There is no page: ${messageOf(error)}`);
    return undefined;
  }
}

/** What is wrong with the project is shown and ends nothing. */
async function work(
  { projectDir, build, page }: DevProject,
  { changed, changedAt }: { changed: Set<string>; changedAt: number | undefined },
  options: DevOptions,
): Promise<void> {
  const startedAt = performance.now();
  try {
    if (page !== undefined) {
      const count = await page.session.look(changed, changedAt);
      console.log(presentBuild(count, startedAt));
      return;
    }
    if (options.dryrun !== undefined) {
      const { dryrun: name, connection } = options;
      await runOnce({ projectDir, name, connection, options });
      return;
    }
    const { functions, warnings } = await build.build(changed);
    presentWarnings(warnings);
    console.log(presentBuild(functions.length, startedAt));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(messageOf(error));
  }
}

function presentBuild(count: number, startedAt: number): string {
  const tookMs = Math.round(performance.now() - startedAt);
  return `${count} function${count === 1 ? "" : "s"} compiled in ${tookMs} ms`;
}
