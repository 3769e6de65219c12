import { type RouteOutput, rateLimitRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";

interface RateLimitsOptions {
  environment: string;
  integration?: string;
  json?: true;
}

const { listRateLimits } = rateLimitRoutes;
type RateLimit = RouteOutput<typeof listRateLimits>["data"][number];

export function rateLimitsCommand(): Command {
  return new Command("rate-limits")
    .description("show the rate limits of providers: what was learned, what is left, and who waits")
    .option("-e, --environment <name>", "environment of the integrations", "dev")
    .option("-i, --integration <id>", "only this integration's")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:connections:list. Up to 100 limits are shown, those that most calls\n" +
        "wait for first.\n" +
        "\nExample:\n  $ jackfield rate-limits --integration hubspot",
    )
    .action(showRateLimits);
}

async function showRateLimits({ environment, integration, json }: RateLimitsOptions) {
  const answer = await callPlatform(findPlatform(environment), {
    ...{ method: "GET", path: "/rate-limits", answer: listRateLimits.success.schema },
    query: integration === undefined ? {} : { provider_config_key: integration },
  });
  if (json === true) return printJson(answer);
  if (answer.data.length === 0) {
    console.log("No rate limits are known yet.");
    return;
  }
  printTable([
    ["limit of", "calls", "left", "resets at", "people wait", "actions wait", "syncs wait"],
    ...answer.data.map(toRow),
  ]);
}

function toRow({ waiting, ...limit }: RateLimit): string[] {
  const { provider_config_key: key, connection_id: connection } = limit;
  return [
    connection === null ? key : `${key}/${connection}`,
    String(limit.limit ?? "?"),
    String(limit.remaining ?? "?"),
    limit.resets_at ?? "?",
    ...[waiting.people, waiting.actions, waiting.syncs].map(presentWait),
  ];
}

function presentWait({ calls, longest_wait_ms: longest }: RateLimit["waiting"]["people"]): string {
  return calls === 0 ? "-" : `${calls}, up to ${(longest / 1000).toFixed(1)} s`;
}
