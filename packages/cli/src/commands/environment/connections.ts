import { Command } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { UserError } from "../../user-error.ts";

interface ConnectionsOptions {
  environment: string;
  integration?: string;
  search?: string;
  state?: string;
  tag?: string[];
  expiringWithin?: string;
  unusedFor?: string;
  limit: string;
  json?: true;
}

const connectionList = z.looseObject({
  connections: z.array(
    z.looseObject({
      connection_id: z.string(),
      provider_config_key: z.string(),
      provider: z.string(),
      created: z.string(),
      errors: z.array(z.looseObject({ type: z.string() })),
      health: z.looseObject({ state: z.string() }).optional(),
    }),
  ),
});

export function connectionsCommand(): Command {
  return new Command("connections")
    .description("list the connections of an environment, newest first")
    .option("-e, --environment <name>", "environment of the connections", "dev")
    .option("-i, --integration <id>", "only this integration's")
    .option("--search <text>", "only those whose id or end user contains the text")
    .option("--state <state>", "only those in this state, such as needs_reauthorization")
    .option("--tag <name=value...>", "only those that have all these tags")
    .option(
      "--expiring-within <time>",
      "only those whose end users have to authorize again within so many days, or a time such as 24h, the earliest first",
    )
    .option(
      "--unused-for <time>",
      "only those that nobody has used for so many days, or for a time such as 24h",
    )
    .option("--limit <count>", "how many", "50")
    .option("--json", "print the API's answer as JSON")
    .addHelpText("after", "\nExample:\n  $ jackfield connections --integration crm")
    .action(listConnections);
}

async function listConnections(options: ConnectionsOptions): Promise<void> {
  const { integration, search, state, tag = [], expiringWithin, unusedFor, limit } = options;
  const answer = await callPlatform(findPlatform(options.environment), {
    method: "GET",
    path: "/connections",
    query: {
      limit,
      ...(integration !== undefined && { integrationId: integration }),
      ...(search !== undefined && { search }),
      ...(state !== undefined && { state }),
      ...Object.fromEntries(tag.map(toTagFilter)),
      ...(expiringWithin !== undefined && {
        reauthorize_before: inHours(readHours("--expiring-within", expiringWithin)),
      }),
      ...(unusedFor !== undefined && {
        unused_since: inHours(-readHours("--unused-for", unusedFor)),
      }),
      include: "health",
    },
    answer: connectionList,
  });
  if (options.json === true) {
    printJson(answer);
    return;
  }
  if (answer.connections.length === 0) {
    console.log("There is no such connection.");
    return;
  }
  const rows = answer.connections.map((connection) => [
    connection.connection_id,
    connection.provider_config_key,
    connection.provider,
    connection.health?.state ?? "ok",
    connection.errors.map(({ type }) => type).join(", ") || "none",
    connection.created,
  ]);
  printTable([["CONNECTION", "INTEGRATION", "PROVIDER", "STATE", "ERRORS", "CREATED"], ...rows]);
}

function toTagFilter(text: string): [word: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UserError(`--tag ${text}: write it as name=value.`);
  return [`tags[${text.slice(0, at)}]`, text.slice(at + 1)];
}

const HOUR_MS = 3_600_000;

function readHours(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,4})([dh]?)$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (unit === "h" ? 1 : 24);
  throw new UserError(
    `${option} takes a number of days, such as 30, or of hours, such as 24h; "${text}" is none.`,
  );
}

function inHours(hours: number): string {
  return new Date(Date.now() + hours * HOUR_MS).toISOString();
}
