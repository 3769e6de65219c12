import { Command } from "commander";
import * as z from "zod";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { readJsonOption } from "../../dryrun/read-json-option.ts";
import { printJson } from "../../output/print-json.ts";
import { findOnlyConnection } from "../../platform/find-connection.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface TriggerOptions {
  environment: string;
  input?: string;
  reset?: true;
  sync?: true;
  action?: true;
  json?: true;
}

const deployed = z.looseObject({ data: z.looseObject({ type: z.string() }) });
const started = z.looseObject({ success: z.boolean() });

export function triggerCommand(): Command {
  return new Command("trigger")
    .description("run a deployed action and print its output, or start a deployed sync")
    .argument("<function>", "<integration>/<name>")
    .argument("[connection]", "connection id; a sync without one is started for all of them")
    .option("-e, --environment <name>", "environment where it is deployed", "dev")
    .option("--input <json>", "input of an action, or @file.json")
    .option("--reset", "start a sync from the beginning, without its checkpoint")
    .option("--sync", "run the sync, if an action has the same name")
    .option("--action", "run the action, if a sync has the same name")
    .option("--json", "print the answer as JSON")
    .addHelpText(
      "after",
      "\nUnlike a dry run, this runs the deployed function and keeps what it saves.\n" +
        "\nExamples:\n  $ jackfield trigger crm/contacts acme\n" +
        '  $ jackfield trigger crm/create-contact acme --input \'{"name":"Ada"}\'',
    )
    .action(trigger);
}

async function trigger(
  name: string,
  connection: string | undefined,
  options: TriggerOptions,
): Promise<void> {
  const [integration = "", functionName = "", ...more] = name.split("/");
  if (integration === "" || functionName === "" || more.length > 0) {
    throw new UserError(
      `Write the function as <integration>/<name>, such as crm/contacts; not ${name}.`,
      { exitCode: exitCodes.usage },
    );
  }
  const platform = findPlatform(options.environment);
  const type = await findType(platform, { integration, functionName }, options);
  const target = { platform, integration, functionName, connection };
  if (type === "action") await runAction(target, options);
  else if (type === "sync") await startSync(target, options);
  else {
    throw new UserError(`${name} is an ${type} function: the platform runs it at its event.`, {
      exitCode: exitCodes.usage,
    });
  }
}

interface Target {
  readonly platform: Platform;
  readonly integration: string;
  readonly functionName: string;
  readonly connection: string | undefined;
}

async function findType(
  platform: Platform,
  { integration, functionName }: Pick<Target, "integration" | "functionName">,
  { sync, action }: TriggerOptions,
): Promise<string> {
  const type = sync === true ? "sync" : action === true ? "action" : undefined;
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: `/integrations/${encodeURIComponent(integration)}/functions/${encodeURIComponent(functionName)}`,
    ...(type !== undefined && { query: { type } }),
    answer: deployed,
  });
  return data.type;
}

async function runAction(
  { platform, integration, functionName, connection }: Target,
  options: TriggerOptions,
): Promise<void> {
  requireUnused("--reset", options.reset, "an action");
  const input = options.input === undefined ? undefined : readJsonOption("--input", options.input);
  const output = await callPlatform(platform, {
    path: "/action/trigger",
    body: {
      provider_config_key: integration,
      connection_id: connection ?? (await findOnlyConnection(platform, integration)),
      action_name: functionName,
      ...(input !== undefined && { input }),
    },
    answer: z.unknown(),
    exitCode: exitCodes.functionFailed,
  });
  printJson(output ?? null);
}

async function startSync(
  { platform, integration, functionName, connection }: Target,
  options: TriggerOptions,
): Promise<void> {
  requireUnused("--input", options.input, "a sync");
  const answer = await callPlatform(platform, {
    path: "/sync/trigger",
    body: {
      provider_config_key: integration,
      syncs: [functionName],
      ...(connection !== undefined && { connection_id: connection }),
      ...(options.reset === true && { opts: { reset: true } }),
    },
    answer: started,
  });
  if (options.json === true) {
    printJson(answer);
    return;
  }
  const whose = connection === undefined ? "all connections" : connection;
  console.log(
    `Started ${integration}/${functionName} for ${whose}: \`jackfield logs --follow\` shows how it runs.`,
  );
}

function requireUnused(option: string, value: unknown, what: string): void {
  if (value === undefined) return;
  throw new UserError(`${option} is not for ${what}.`, { exitCode: exitCodes.usage });
}
