import { Command, Option } from "commander";
import { readVariable } from "../../config.ts";
import type { Platform } from "../../deploy/call-platform.ts";
import { moveFromNango, type Report } from "../../nango/move.ts";
import type { NangoSource } from "../../nango/nango-shapes.ts";
import { saveOldPlatform } from "../../nango/old-platform-calls.ts";
import { readNangoApi } from "../../nango/read-nango-api.ts";
import { readNangoFile } from "../../nango/read-nango-file.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { startProgress } from "../../output/progress.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface NangoOptions {
  environment: string;
  file?: string;
  host: string;
  keyEnv: string;
  integration?: string;
  readThrough?: true;
  name: string;
  dryRun?: true;
  json?: true;
}

export function migrateNangoCommand(): Command {
  return (
    new Command("nango")
      .description("move integrations and connections from Nango into an environment")
      .option("-e, --environment <name>", "target environment", "dev")
      .addOption(new Option("--file <path>", "read an export instead of the API"))
      .option("--host <url>", "address of Nango's API", "https://api.nango.dev")
      .option(
        "--key-env <variable>",
        "name of the environment variable that holds Nango's secret key",
        "NANGO_SECRET_KEY",
      )
      .option("-i, --integration <id>", "move only this integration and its connections")
      .option(
        "--read-through",
        "let Nango keep refreshing the tokens: connections are read through until `jackfield migrate hand-over`",
      )
      .option("--name <name>", "how the old platform is called here, with --read-through", "nango")
      .option(
        "--dry-run",
        "only report what would be moved; writes nothing and reads no credentials",
      )
      .option("--json", "print the report as JSON")
      .addHelpText(
        "after",
        "\nIt does not change what already exists, so you can run it again to continue. Stop syncs and calls at\n" +
          "Nango first: a refresh token that both sides use may end the grant. With --read-through they can\n" +
          "continue until the hand-over. Exit code 1: something cannot be moved.\n" +
          "\nExamples:\n  $ jackfield migrate nango --dry-run\n" +
          "  $ jackfield migrate nango --integration hubspot --environment prod\n" +
          "  $ jackfield migrate nango --integration hubspot --read-through\n" +
          "  $ jackfield migrate nango --file export.json",
      )
      // `migrate` has --dry-run and --json as well, and takes them wherever they are.
      .action(async (_options: NangoOptions, command: Command) => {
        await migrate(command.optsWithGlobals<NangoOptions>());
      })
  );
}

async function migrate(options: NangoOptions): Promise<void> {
  const target = findPlatform(options.environment);
  const source = await openSource(options);
  const readThrough = await openReadThrough(target, options);
  using progress = startProgress();
  const report = await moveFromNango(source, target, {
    dryRun: options.dryRun === true,
    readThrough,
    integration: options.integration,
    onProgress: (text) => progress.show(text),
  });
  progress[Symbol.dispose]();
  if (options.integration !== undefined && report.integrations.length === 0) {
    throw new UserError(`Nango has no integration ${options.integration}.`);
  }
  if (options.json === true) printJson(toJson(report));
  else present(report, options.dryRun === true);
  const isWhole = report.integrations.every(
    ({ fate, connections }) => fate !== "cannot" && connections.cannot === 0,
  );
  if (!isWhole) process.exitCode = exitCodes.failed;
}

/** The id of the old platform; undefined where tokens are taken over at once. */
async function openReadThrough(
  target: Platform,
  { readThrough, dryRun, file, host, keyEnv, name }: NangoOptions,
): Promise<string | undefined> {
  if (readThrough !== true) return undefined;
  if (file !== undefined) {
    throw new UserError("--read-through needs Nango's API; it cannot be used with --file.", {
      exitCode: exitCodes.usage,
    });
  }
  if (dryRun === true) return undefined;
  const key = readVariable(keyEnv) ?? "";
  const saved = await saveOldPlatform(target, { name, url: host.replace(/\/$/, ""), key });
  return saved.id;
}

async function openSource({ file, host, keyEnv }: NangoOptions): Promise<NangoSource> {
  if (file !== undefined) return await readNangoFile(file);
  const key = readVariable(keyEnv);
  if (key) return readNangoApi({ host: host.replace(/\/$/, ""), key });
  throw new UserError(
    `Set ${keyEnv} to the secret key of the environment at Nango, or read an export with --file.`,
    { exitCode: exitCodes.usage },
  );
}

function toJson({ integrations, failures, callbackUrls }: Report): object {
  return { integrations, failures, callback_urls: callbackUrls };
}

function present({ integrations, failures, callbackUrls }: Report, isDry: boolean): void {
  const moves = isDry ? "would move" : "moved";
  const states = {
    moves: isDry ? "would be created" : "created",
    exists: "exists",
    cannot: "cannot move",
  };
  printTable([
    ["integration", "provider", "state", `connections ${moves}`, "exist", "cannot move"],
    ...integrations.map(({ integration, provider, fate, connections }) => [
      integration,
      provider,
      states[fate],
      String(connections.moves),
      String(connections.exists),
      String(connections.cannot),
    ]),
  ]);
  for (const { integration, reason } of integrations) {
    if (reason !== undefined) console.log(`${integration}: ${reason}`);
  }
  for (const { integration, connection, reason } of failures) {
    console.log(`${integration}/${connection}: ${reason}`);
  }
  if (callbackUrls.length === 0) return;
  console.log(
    `Register this callback URL at the providers before you switch: ${callbackUrls.join(", ")}`,
  );
}
