import { syncReconciliationRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform } from "../deploy/call-platform.ts";
import { printJson } from "../output/print-json.ts";
import { printTable } from "../output/print-table.ts";
import { findPlatform } from "../platform/find-platform.ts";

interface MissedOptions {
  environment: string;
  integration?: string;
  connection?: string;
  model?: string;
  all?: true;
  json?: true;
}

const { listReconciliations } = syncReconciliationRoutes;

export function missedCommand(): Command {
  return new Command("missed")
    .description("show what webhooks missed and scheduled runs of the same sync found, by day")
    .option("-e, --environment <name>", "environment of the connections", "dev")
    .option("-i, --integration <id>", "only connections of this integration")
    .option("--connection <id>", "only this connection; needs --integration")
    .option("--model <name>", "only this model")
    .option("--all", "also days on which nothing was missed")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:syncs:read. Up to 500 days of models are shown, newest first.\n" +
        "\nExample:\n  $ jackfield webhooks missed -i hubspot --connection user-42",
    )
    .action(showMissed);
}

async function showMissed(options: MissedOptions): Promise<void> {
  const { integration, connection, model } = options;
  const answer = await callPlatform(findPlatform(options.environment), {
    ...{ method: "GET", path: "/syncs/reconciliations" },
    query: {
      limit: "500",
      ...(integration !== undefined && { provider_config_key: integration }),
      ...(connection !== undefined && { connection_id: connection }),
      ...(model !== undefined && { model }),
      ...(options.all !== true && { missed: "true" }),
    },
    answer: listReconciliations.success.schema,
  });
  if (options.json === true) return printJson(answer);
  if (answer.data.length === 0) {
    console.log("Webhooks missed nothing.");
    return;
  }
  printTable([
    ["DAY", "CONNECTION", "MODEL", "BY WEBHOOKS", "MISSED", "SCHEDULED RUNS"],
    ...answer.data.map((row) => [
      ...[row.day, `${row.provider_config_key}/${row.connection_id}`, row.model],
      ...[row.changes_by_webhooks, row.missed_by_webhooks, row.scheduled_runs].map(String),
    ]),
  ]);
}
