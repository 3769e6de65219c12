import { relative } from "node:path";
import type { MigrationReport } from "@jackfield/server";
import { Command } from "commander";
import { changeFunctions } from "../../nango/change-functions.ts";
import { printJson } from "../../output/print-json.ts";
import { exitCodes, messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "../vault/vault-server.ts";
import { handBackCommand, handOverCommand, migrateStatusCommand } from "./migrate-connections.ts";
import { migrateNangoCommand } from "./migrate-nango.ts";

interface MigrateOptions {
  dryRun?: true;
  json?: true;
}

export function migrateCommand(): Command {
  return (
    new Command("migrate")
      .description("migrate the schema of the database, as a start does, and exit")
      .option("--dry-run", "only list pending migrations; exit code 8 if there are any")
      .option("--json", "print the list as JSON")
      .addHelpText(
        "after",
        "\nYou can run it while servers run, and several times in parallel: one process migrates at a time.\n" +
          "\nExamples:\n  $ jackfield migrate --dry-run\n  $ SVC_DATABASE_URL=postgres://… jackfield migrate",
      )
      // An option after the name of a subcommand is the subcommand's: both know --dry-run.
      .enablePositionalOptions()
      .action(migrateSchema)
      .addCommand(migrateNangoCommand())
      .addCommand(handOverCommand())
      .addCommand(handBackCommand())
      .addCommand(migrateStatusCommand())
      .addCommand(migrateFunctionsCommand())
  );
}

async function migrateSchema({ dryRun, json }: MigrateOptions): Promise<void> {
  const { server, config } = await loadServer();
  const report = await server
    .migrateDatabase(config, { dryRun: dryRun === true })
    .catch((cause: unknown) => {
      throw new UserError(`The database was not migrated: ${explain(cause)}`, { cause });
    });
  if (json === true) printJson(toJson(report));
  else for (const line of present(report)) console.log(line);
  if (report.pending.length > report.applied.length) {
    process.exitCode = exitCodes.migrationsPending;
  }
}

/** The cause holds what Postgres said of a migration that failed. */
function explain(cause: unknown): string {
  const inner = cause instanceof Error ? cause.cause : undefined;
  return inner === undefined ? messageOf(cause) : `${messageOf(cause)}: ${messageOf(inner)}`;
}

function toJson({ pending, applied }: MigrationReport): object {
  return {
    pending: pending.map(({ name, mode, keepsPrevious }) => ({
      name,
      mode,
      keeps_previous: keepsPrevious ?? null,
    })),
    applied,
  };
}

function present({ pending, applied }: MigrationReport): string[] {
  if (pending.length === 0) return ["The schema is up to date."];
  const width = Math.max(...pending.map(({ name }) => name.length));
  const lines = pending.map(({ name, mode, keepsPrevious }) => {
    const effect =
      keepsPrevious === undefined
        ? "new database"
        : keepsPrevious
          ? "the previous release keeps running"
          : "STOP the release before first";
    return `${name.padEnd(width)}  ${mode.padEnd("concurrently".length)}  ${effect}`;
  });
  const end =
    applied.length === 0
      ? `${pending.length} to apply: jackfield migrate`
      : `${applied.length} applied; the schema is up to date.`;
  return [...lines, end];
}

function migrateFunctionsCommand(): Command {
  return (
    new Command("functions")
      .description("change the files of a Nango project into those of a Jackfield project")
      .argument("[path]", "folder of the project", ".")
      .option("--dry-run", "only list what would change")
      .option("--json", "print the changes as JSON")
      .addHelpText(
        "after",
        "\nChanges imports, package.json and .env files, but not the code of the functions. It lists what you\n" +
          "have to change by hand. Commit first, and review the difference afterwards.\n" +
          "\nExample:\n  $ jackfield migrate functions nango-integrations --dry-run",
      )
      // `migrate` has both options as well, and takes them wherever they are.
      .action(async (path: string, _options: FunctionsOptions, command: Command) => {
        await migrate(path, command.optsWithGlobals<FunctionsOptions>());
      })
  );
}

interface FunctionsOptions {
  dryRun?: true;
  json?: true;
}

async function migrate(path: string, options: FunctionsOptions): Promise<void> {
  const { changed, byHand } = await changeFunctions(path, { dryRun: options.dryRun === true });
  const short = (file: string) => relative(process.cwd(), file) || ".";
  if (options.json === true) {
    const left = byHand.map(({ file, message }) => ({ file: short(file), message }));
    printJson({ changed: changed.map(short), by_hand: left });
    return;
  }
  const verb = options.dryRun === true ? "would change" : "changed";
  for (const file of changed) console.log(`${verb} ${short(file)}`);
  for (const { file, message } of byHand) console.log(`by hand: ${short(file)}: ${message}`);
  if (changed.length === 0 && byHand.length === 0) console.log("There is nothing to change.");
}
