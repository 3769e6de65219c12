import { inboxConnectionRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform } from "../deploy/call-platform.ts";
import { printJson } from "../output/print-json.ts";
import { printTable } from "../output/print-table.ts";
import { findPlatform } from "../platform/find-platform.ts";

interface ArrivalsOptions {
  environment: string;
  integration?: string;
  connection?: string;
  silent?: true;
  json?: true;
}

const { listWebhookArrivals } = inboxConnectionRoutes;

export function arrivalsCommand(): Command {
  return new Command("arrivals")
    .description("show how webhooks of providers arrive for each connection")
    .option("-e, --environment <name>", "environment of the connections", "dev")
    .option("-i, --integration <id>", "only connections of this integration")
    .option("--connection <id>", "only this connection; needs --integration")
    .option("--silent", "only those for which no webhook came for far longer than usual")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:webhooks:read. Up to 500 connections are shown.\n" +
        "\nExamples:\n  $ jackfield webhooks arrivals --silent\n  $ jackfield webhooks arrivals -i hubspot",
    )
    .action(showArrivals);
}

async function showArrivals(options: ArrivalsOptions): Promise<void> {
  const { integration, connection } = options;
  const answer = await callPlatform(findPlatform(options.environment), {
    ...{ method: "GET", path: "/webhooks/inbox/connections" },
    query: {
      limit: "500",
      ...(integration !== undefined && { provider_config_key: integration }),
      ...(connection !== undefined && { connection_id: connection }),
      ...(options.silent === true && { silent: "true" }),
    },
    answer: listWebhookArrivals.success.schema,
  });
  if (options.json === true) return printJson(answer);
  if (answer.data.length === 0) {
    console.log(options.silent === true ? "No connection is silent." : "No webhook has come.");
    return;
  }
  printTable([
    ["CONNECTION", "RECEIVED", "DUPLICATES", "MISSING", "LAST", "EXPECTED WITHIN", "SILENT SINCE"],
    ...answer.data.map((row) => [
      `${row.provider_config_key}/${row.connection_id}`,
      String(row.received),
      String(row.duplicates),
      row.sequence === null ? "-" : String(row.sequence.missing),
      row.last_received_at,
      row.expected_within_seconds === null ? "-" : `${row.expected_within_seconds} s`,
      row.silent_since ?? "-",
    ]),
  ]);
}
