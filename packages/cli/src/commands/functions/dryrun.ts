import { Command, Option } from "commander";
import { readProjectSettings } from "../../config.ts";
import type { DryRunReport, DryRunRequest } from "../../dryrun/dry-run.ts";
import { presentLog, presentRun, presentRunError } from "../../dryrun/present-run.ts";
import { readJsonObjectOption, readJsonOption } from "../../dryrun/read-json-option.ts";
import { saveCase } from "../../dryrun/recording-file.ts";
import { needsServer } from "../../load-server.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import type { BuiltFunction } from "../../project/build-project.ts";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";
import { buildFiles, listFunctionFiles, selectFunction } from "../../project/select-function.ts";
import { exitCodes, UserError } from "../../user-error.ts";

export interface DryRunOptions {
  environment: string;
  integration?: string;
  integrationId?: string;
  input?: string;
  metadata?: string;
  checkpoint?: string;
  lastSyncDate?: string;
  variant?: string;
  webhook?: true;
  validate?: boolean;
  validation?: true;
  save?: true;
  saveResponses?: true;
  case?: string;
  json?: true;
}

export function dryrunCommand(): Command {
  const command = new Command("dryrun")
    .description("run a function on this machine with a real connection; saves nothing")
    .argument("<function>", "its name, <integration>/<name>, or <integration>/syncs/<name>")
    .argument("[connection]", "connection id; not needed when the integration has only one");
  return addRunOptions(command)
    .option("--json", "print the whole result as JSON")
    .addHelpText(
      "after",
      "\nThe function runs in a process of this machine, as isolated as on the server; its calls to the\n" +
        "provider go through the server's proxy with the connection's credentials. Pass JSON as text or\n" +
        "as @file.json. Exit code 4 means that the function failed.\n" +
        "\nExamples:\n  $ jackfield dryrun contacts acme\n" +
        '  $ jackfield dryrun crm/create-contact acme --input \'{"name":"Ada"}\'\n' +
        "  $ jackfield dryrun contacts acme --checkpoint @checkpoint.json --save",
    )
    .action(async (name: string, connection: string | undefined, options: DryRunOptions) => {
      const projectDir = findProject();
      const report = await runOnce({ projectDir, name, connection, options });
      if ("error" in report.end) throw new UserError("", { exitCode: exitCodes.functionFailed });
    });
}

/** What `dryrun` takes and `dev --dryrun` passes on. */
export function addRunOptions(command: Command): Command {
  return command
    .option("-e, --environment <name>", "environment whose key and connections are used", "dev")
    .option("-i, --integration <id>", "integration of the function, if several have this name")
    .option("--input <json>", "input of an action, or payload of --webhook")
    .option("-m, --metadata <json>", "metadata of the connection for this run")
    .option("-c, --checkpoint <json>", "checkpoint for this run")
    .option("-l, --last-sync-date <date>", "time of the last run, ISO 8601")
    .option("--variant <name>", "variant of the sync")
    .option("--webhook", "run a sync's onWebhook with --input as payload")
    .option("--validate", "fail if a value does not fit its schema, instead of warning")
    .option("--no-validate", "run an action even if its input does not fit its schema")
    .option("--save", "record the provider's answers for `jackfield test`; implies --validate")
    .option("--case <name>", "name of the recording, if a function has several")
    .addOption(new Option("--integration-id <id>").hideHelp())
    .addOption(new Option("--lastSyncDate <date>").hideHelp())
    .addOption(new Option("--validation").hideHelp())
    .addOption(new Option("--save-responses").hideHelp());
}

/** Builds the project, runs the function and prints what happened; a failed run is in the report. */
export async function runOnce(asked: {
  projectDir: string;
  name: string;
  connection: string | undefined;
  options: DryRunOptions;
}): Promise<DryRunReport> {
  const { projectDir, name } = asked;
  const options = readOlderInput(asked.options);
  const request = toRequest(asked.connection, options);
  const settings = readProjectSettings(projectDir);
  const platform = { host: settings.host, key: settings.requireSecretKey(options.environment) };
  using progress = startProgress();
  progress.show("checking types and bundling");
  const integration = options.integration ?? options.integrationId;
  const file = selectFunction(await listFunctionFiles(projectDir), { name, integration });
  const { functions, warnings } = await buildFiles(projectDir, [file]);
  if (options.json !== true) presentWarnings(warnings);
  const [fn] = functions;
  if (fn === undefined) throw new UserError(`${file.file} was not built.`);
  requireFitting(fn, request);

  const { dryRun } = await needsServer(import("../../dryrun/dry-run.ts"));
  const { openLocalSandbox } = await import("../../dryrun/run-locally.ts");
  progress.show("starting the function");
  await using sandbox = await openLocalSandbox(projectDir);
  const report = await dryRun(
    { platform, sandbox, fn, request },
    {
      onLog: (line) => {
        if (options.json === true) return;
        progress[Symbol.dispose]();
        console.error(presentLog(line));
      },
      onProgress: (text) => progress.show(text),
    },
  );
  progress[Symbol.dispose]();
  const saved = await saveIfAsked(projectDir, fn, report, options);
  present(fn, report, saved, options);
  return report;
}

/** `-i` was `--input` once, as in other tools of this kind; JSON and `@file` cannot be meant as an integration. */
function readOlderInput(options: DryRunOptions): DryRunOptions {
  const { integration, ...rest } = options;
  if (integration === undefined || !/^\s*[[{"@]/.test(integration)) return options;
  console.error("warning: `-i` is `--integration` in every command; write `--input` for input.");
  return { ...rest, input: options.input ?? integration };
}

function toRequest(connectionId: string | undefined, options: DryRunOptions): DryRunRequest {
  const { input, metadata, checkpoint, variant } = options;
  const lastSyncDate = options.lastSyncDate;
  const isSaved = options.save === true || options.saveResponses === true;
  return {
    environment: options.environment,
    connectionId,
    isWebhook: options.webhook === true,
    input: input === undefined ? undefined : readJsonOption("--input", input),
    metadata: metadata === undefined ? undefined : readJsonObjectOption("--metadata", metadata),
    checkpoint:
      checkpoint === undefined ? undefined : readJsonObjectOption("--checkpoint", checkpoint),
    lastSyncDate: lastSyncDate === undefined ? undefined : toIsoDate(lastSyncDate),
    variant,
    validation: toValidation(options, isSaved),
  };
}

/** Input is refused as on the platform, before the function sends anything, unless the caller insists. */
function toValidation(options: DryRunOptions, isSaved: boolean): DryRunRequest["validation"] {
  if (options.validate === false) return "none";
  if (isSaved || options.validate === true || options.validation === true) return "all";
  return "input";
}

function toIsoDate(text: string): string {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new UserError(`--last-sync-date is no date: ${text}. For example: 2026-01-31T00:00:00Z`, {
    exitCode: exitCodes.usage,
  });
}

/** Options that say nothing for this kind of function are mistakes. */
function requireFitting({ description }: BuiltFunction, request: DryRunRequest): void {
  const { type } = description;
  const isSync = type === "sync";
  const wrong = [
    !isSync && request.isWebhook && "--webhook",
    !isSync && request.lastSyncDate !== undefined && "--last-sync-date",
    !isSync && request.variant !== undefined && "--variant",
    type !== "action" && !request.isWebhook && request.input !== undefined && "--input",
  ].find((option) => option !== false);
  if (wrong !== undefined) {
    const hint = wrong === "--input" && isSync ? "; a payload goes with --webhook" : "";
    throw new UserError(`${wrong} is not for ${type} functions${hint}.`, {
      exitCode: exitCodes.usage,
    });
  }
  if (description.type === "sync" && request.isWebhook && !description.hasWebhookHandler) {
    throw new UserError("--webhook: the sync has no onWebhook.", { exitCode: exitCodes.usage });
  }
}

async function saveIfAsked(
  projectDir: string,
  fn: BuiltFunction,
  report: DryRunReport,
  options: DryRunOptions,
): Promise<string | undefined> {
  if (options.save !== true && options.saveResponses !== true) return undefined;
  const variant = options.variant === undefined ? "" : ` ${options.variant}`;
  const name = options.case ?? `${report.kind}${variant}`;
  return await saveCase(projectDir, fn, { name, ...report.recorded });
}

function present(
  fn: BuiltFunction,
  report: DryRunReport,
  saved: string | undefined,
  options: DryRunOptions,
): void {
  if (options.json === true) {
    const { kind, connectionId, end, records, checkpoint, metadata, logs, notes, calls } = report;
    printJson({
      integration: fn.integrationId,
      function: fn.functionName,
      kind,
      connection: connectionId,
      ...("error" in end ? { error: end.error } : { output: end.output }),
      ...{ records, checkpoint, metadata, logs, notes, calls, recording: saved },
    });
    return;
  }
  for (const line of presentRun(report)) console.log(line);
  const failure = presentRunError(report);
  if (saved !== undefined) {
    const what = failure === undefined ? "" : "; its replay expects the same failure";
    console.log(`Recorded in ${saved}${what}`);
  }
  if (failure !== undefined) console.error(failure);
}
