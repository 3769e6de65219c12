import { connectFunnelRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";

interface FunnelOptions {
  environment: string;
  integration?: string;
  from?: string;
  to?: string;
  json?: true;
}

const { listConnectFunnel } = connectFunnelRoutes;

export function funnelCommand(): Command {
  return new Command("funnel")
    .description("show how far end users came when they connected, by integration")
    .option("-e, --environment <name>", "environment of the integrations", "dev")
    .option("-i, --integration <id>", "only this integration")
    .option("--from <day>", "first day, YYYY-MM-DD in UTC (default: 29 days before today)")
    .option("--to <day>", "last day (default: today)")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:connect_sessions:read. Counts are kept for 90 days.\n" +
        "\nExamples:\n  $ jackfield integrations funnel\n  $ jackfield integrations funnel -i hubspot --from 2026-01-01 --to 2026-01-31",
    )
    .action(showFunnel);
}

async function showFunnel(options: FunnelOptions): Promise<void> {
  const { integration, from, to } = options;
  const answer = await callPlatform(findPlatform(options.environment), {
    ...{ method: "GET", path: "/connect/funnel" },
    query: {
      ...(integration !== undefined && { provider_config_key: integration }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    },
    answer: listConnectFunnel.success.schema,
  });
  if (options.json === true) return printJson(answer);
  if (answer.data.length === 0) {
    console.log("No connect session was created on these days.");
    return;
  }
  printTable([
    [
      ...["INTEGRATION", "SESSIONS", "OPENED", "CHOSEN", "STARTED"],
      ...["COMPLETED", "FAILED", "ABANDONED", "FAILURES"],
    ],
    ...answer.data.map((row) => [
      row.provider_config_key,
      ...[row.sessions, row.opened, row.chosen, row.started].map(String),
      ...[row.completed, row.failed, row.abandoned].map(String),
      row.failures.map(({ reason, count }) => `${reason} ${count}`).join(", ") || "none",
    ]),
  ]);
}
