import { inboxIntegrationRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform } from "../deploy/call-platform.ts";
import { printJson } from "../output/print-json.ts";
import { printTable } from "../output/print-table.ts";
import { findPlatform } from "../platform/find-platform.ts";

interface IntakeOptions {
  environment: string;
  integration?: string;
  json?: true;
}

const { listWebhookIntake } = inboxIntegrationRoutes;

export function intakeCommand(): Command {
  return new Command("integrations")
    .description("show when webhooks last came for each integration, and which were rejected")
    .option("-e, --environment <name>", "environment of the integrations", "dev")
    .option("-i, --integration <id>", "only this integration")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:webhooks:read. Up to 500 integrations are shown.\n" +
        "\nExample:\n  $ jackfield webhooks integrations -i hubspot",
    )
    .action(showIntake);
}

async function showIntake({ environment, integration, json }: IntakeOptions): Promise<void> {
  const answer = await callPlatform(findPlatform(environment), {
    ...{ method: "GET", path: "/webhooks/inbox/integrations" },
    query: {
      limit: "500",
      ...(integration !== undefined && { provider_config_key: integration }),
    },
    answer: listWebhookIntake.success.schema,
  });
  if (json === true) return printJson(answer);
  if (answer.data.length === 0) {
    console.log("There is no integration.");
    return;
  }
  printTable([
    ["INTEGRATION", "LAST RECEIVED", "LAST VERIFIED", "REJECTED IN 24 H", "LAST REJECTED"],
    ...answer.data.map((row) => [
      row.provider_config_key,
      row.last_received_at ?? "never",
      row.last_verified_at ?? "never",
      wordRejected(row.rejected),
      row.rejected === null ? "never" : `${row.rejected.last_at} (${row.rejected.last_reason})`,
    ]),
  ]);
}

type Rejected = (typeof listWebhookIntake.success.schema)["_output"]["data"][number]["rejected"];

function wordRejected(rejected: Rejected): string {
  if (rejected === null || rejected.last_24h === 0) return "0";
  const reasons = rejected.reasons.map(({ reason, count }) => `${reason} ${count}`).join(", ");
  return `${rejected.last_24h}: ${reasons}`;
}
