import { type RouteOutput, recordQuarantineRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface QuarantineOptions {
  environment: string;
  integration?: string;
  connection?: string;
  model?: string;
  samples?: true;
  json?: true;
}

const { listQuarantine, listQuarantineSamples } = recordQuarantineRoutes;
type Quarantined = RouteOutput<typeof listQuarantine>["data"][number];

export function quarantineCommand(): Command {
  return new Command("quarantine")
    .description("show which records did not match their schema and were not saved, and why")
    .option("-e, --environment <name>", "environment of the records", "dev")
    .option("-i, --integration <id>", "only this integration's; needs --connection")
    .option("--connection <id>", "only this connection's; needs --integration")
    .option("--model <name>", "only this model")
    .option("--samples", "print samples of one model of a connection, a JSON object in each line")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:records:read. Up to 100 models are shown, newest first.\n" +
        "\nExamples:\n  $ jackfield records quarantine\n" +
        "  $ jackfield records quarantine -i hubspot --connection user-42 --model Contact --samples",
    )
    .action(showQuarantine);
}

async function showQuarantine(options: QuarantineOptions): Promise<void> {
  const platform = findPlatform(options.environment);
  if (options.samples === true) return await printSamples(platform, options);
  const { integration, connection, model } = options;
  const answer = await callPlatform(platform, {
    ...{ method: "GET", path: "/records/quarantine" },
    query: {
      limit: "100",
      ...(integration !== undefined && { provider_config_key: integration }),
      ...(connection !== undefined && { connection_id: connection }),
      ...(model !== undefined && { model }),
    },
    answer: listQuarantine.success.schema,
  });
  if (options.json === true) return printJson(answer);
  if (answer.data.length === 0) {
    console.log("Nothing is quarantined.");
    return;
  }
  printTable([
    ["CONNECTION", "MODEL", "RECORDS", "WHERE", "FAULT", "EXPECTED", "RECEIVED", "LAST SEEN"],
    ...answer.data.flatMap(toRows),
  ]);
}

function toRows({ provider_config_key, connection_id, model, variant, reasons }: Quarantined) {
  const name = variant === "base" ? model : `${model}::${variant}`;
  return reasons.map(({ count, pointer, code, expected, received, last_seen_at: at }) => [
    ...[`${provider_config_key}/${connection_id}`, name, String(count), pointer || "(record)"],
    ...[code, expected ?? "-", received ?? "-", at],
  ]);
}

async function printSamples(platform: Platform, options: QuarantineOptions): Promise<void> {
  const { integration, connection, model: named } = options;
  if (integration === undefined || connection === undefined || named === undefined) {
    throw new UserError("--samples needs --integration, --connection and --model.", {
      exitCode: exitCodes.usage,
    });
  }
  const [model = named, variant] = named.split("::");
  const answer = await callPlatform(platform, {
    ...{ method: "GET", path: "/records/quarantine/samples" },
    query: {
      ...{ provider_config_key: integration, connection_id: connection, model, limit: "250" },
      ...(variant !== undefined && { variant }),
    },
    answer: listQuarantineSamples.success.schema,
  });
  if (options.json === true) return printJson(answer);
  for (const sample of answer.data) console.log(JSON.stringify(sample));
}
