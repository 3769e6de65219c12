import { type RouteOutput, recordDriftRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";

interface DriftOptions {
  environment: string;
  integration?: string;
  connection?: string;
  model?: string;
  all?: true;
  json?: true;
}

const { listDrift } = recordDriftRoutes;
type Model = RouteOutput<typeof listDrift>["data"][number];

export function driftCommand(): Command {
  return new Command("drift")
    .description("show which fields of saved records differ from their schema or from before")
    .option("-e, --environment <name>", "environment of the records", "dev")
    .option("-i, --integration <id>", "only this integration's; needs --connection")
    .option("--connection <id>", "only this connection's; needs --integration")
    .option("--model <name>", "only this model")
    .option("--all", "each field, with a finding or without")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:records:read. Up to 50 models are shown, newest first.\n" +
        "\nExamples:\n  $ jackfield records drift\n" +
        "  $ jackfield records drift -i hubspot --connection user-42 --model Contact --all",
    )
    .action(showDrift);
}

async function showDrift(options: DriftOptions): Promise<void> {
  const { integration, connection, model } = options;
  const answer = await callPlatform(findPlatform(options.environment), {
    ...{ method: "GET", path: "/records/drift" },
    query: {
      ...{ limit: "50", fields: options.all === true ? "all" : "odd" },
      ...(integration !== undefined && { provider_config_key: integration }),
      ...(connection !== undefined && { connection_id: connection }),
      ...(model !== undefined && { model }),
    },
    answer: listDrift.success.schema,
  });
  if (options.json === true) return printJson(answer);
  const rows = answer.data.flatMap(toRows);
  if (rows.length === 0) {
    console.log("No field differs from its schema or from before.");
    return;
  }
  printTable([
    ["CONNECTION", "MODEL", "FIELD", "FINDING", "TYPES", "EXPECTED", "NULL", "FIRST SEEN"],
    ...rows,
  ]);
}

function toRows({ provider_config_key, connection_id, model, variant, fields }: Model) {
  const name = variant === "base" ? model : `${model}::${variant}`;
  return fields.map((field) => [
    ...[`${provider_config_key}/${connection_id}`, name, field.pointer],
    field.findings.join(",") || "-",
    field.types.map(({ type, count }) => `${type} ${count}`).join(", "),
    field.expected?.join("|") ?? "-",
    field.null_share === null ? "-" : `${Math.round(100 * field.null_share)} %`,
    field.first_seen_at,
  ]);
}
