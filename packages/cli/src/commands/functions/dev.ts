import { watch } from "node:fs";
import { sep } from "node:path";
import { Command } from "commander";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";
import { ProjectBuild } from "../../project/project-build.ts";
import { messageOf, UserError } from "../../user-error.ts";
import { addRunOptions, type DryRunOptions, runOnce } from "./dryrun.ts";

interface DevOptions extends DryRunOptions {
  dryrun?: string;
  connection?: string;
}

const SETTLE_MS = 100;
/** What the command itself writes, and what is not the author's. */
const IGNORED = /(^|[\\/])(node_modules|build|\.jackfield|\.git)([\\/]|$)|\.test\.json$|~$/;

export function devCommand(): Command {
  return addRunOptions(
    new Command("dev")
      .description("check and bundle after each change; with --dryrun, also run a function again")
      .option("--dryrun <function>", "run this function after each change that compiles")
      .option("--connection <id>", "connection for that run"),
  )
    .addHelpText(
      "after",
      "\nEnds with Ctrl-C.\n" +
        "\nExamples:\n  $ jackfield dev\n  $ jackfield dev --dryrun contacts --connection acme",
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
  const changed = new Set<string>();
  let isDirty = true;
  let wake = (): void => {};
  const watcher = watch(projectDir, { recursive: true }, (_event, name) => {
    if (name !== null && IGNORED.test(name)) return;
    changed.add((name ?? "package.json").split(sep).join("/"));
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
      await work({ projectDir, build, changed: seen }, options);
      if (!isDirty) console.log("Waiting for changes");
    }
  } finally {
    watcher.close();
  }
}

/** What is wrong with the project is shown and ends nothing. */
async function work(
  { projectDir, build, changed }: { projectDir: string; build: ProjectBuild; changed: Set<string> },
  options: DevOptions,
): Promise<void> {
  try {
    if (options.dryrun !== undefined) {
      const { dryrun: name, connection } = options;
      await runOnce({ projectDir, name, connection, options });
      return;
    }
    const startedAt = performance.now();
    const { functions, warnings } = await build.build(changed);
    presentWarnings(warnings);
    const tookMs = Math.round(performance.now() - startedAt);
    console.log(
      `${functions.length} function${functions.length === 1 ? "" : "s"} compiled in ${tookMs} ms`,
    );
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(messageOf(error));
  }
}
