import { connectLinkRoutes } from "@jackfield/contract";
import { Command } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { UserError } from "../../user-error.ts";

interface ListOptions {
  environment: string;
  state?: string;
  limit: string;
  json?: true;
}

interface CreateOptions {
  environment: string;
  endUser: string;
  integration?: string[];
  expiresIn: string;
  uses: string;
  note?: string;
  code?: true;
  json?: true;
}

interface ReconnectOptions {
  environment: string;
  integration?: string;
  search?: string;
  connection?: string[];
  expiresIn: string;
  json?: true;
}

const { createConnectLink, createReconnectLinks, listConnectLinks } = connectLinkRoutes;
const HOUR_SECONDS = 3600;

export function linksCommand(): Command {
  const links = new Command("links")
    .description("list the connect links of an environment, newest first")
    .option("-e, --environment <name>", "environment of the links", "dev")
    .option("--state <state>", "only open, used_up, expired or revoked links")
    .option("--limit <count>", "how many, up to 100", "50")
    .option("--json", "print the API's answer as JSON")
    .action(listLinks);
  links
    .command("create")
    .description("create a link by which an end user connects, and print its address once")
    .requiredOption("--end-user <id>", "the tag end_user_id of the connections")
    .option("-e, --environment <name>", "environment of the connections", "dev")
    .option("--integration <id...>", "integrations to choose from (default: all)")
    .option("--expires-in <hours>", "how long it works: 1 to 720 hours", "168")
    .option("--uses <count>", "how many sessions it may begin, 1 to 100", "1")
    .option("--note <text>", "a note for your colleagues")
    .option("--code", "also ask for a code of 6 digits")
    .option("--json", "print the API's answer as JSON")
    .action(async (_own: object, command: Command) => await createLink(command.optsWithGlobals()));
  links
    .command("reconnect")
    .description("create a link for each connection that has to be authorized again, up to 500")
    .option("-e, --environment <name>", "environment of the connections", "dev")
    .option("-i, --integration <id>", "only connections of this integration")
    .option("--search <text>", "only those whose id or end user contains the text")
    .option("--connection <id...>", "only these connections; needs --integration")
    .option("--expires-in <hours>", "how long the links work: 1 to 720 hours", "168")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nEach link works once. The addresses are shown only now.\n" +
        "\nExample:\n  $ jackfield links reconnect -i hubspot --json > links.json",
    )
    .action(async (_own: object, command: Command) => await reconnect(command.optsWithGlobals()));
  links
    .command("revoke <id>")
    .description("revoke a link; sessions that it has begun continue")
    .option("-e, --environment <name>", "environment of the link", "dev")
    .action(
      async (id: string, _own: object, command: Command) =>
        await revokeLink(id, command.optsWithGlobals()),
    );
  return links;
}

async function listLinks({ environment, state, limit, json }: ListOptions): Promise<void> {
  const answer = await callPlatform(findPlatform(environment), {
    ...{ method: "GET", path: "/connect/links" },
    query: { limit, ...(state !== undefined && { state }) },
    answer: listConnectLinks.success.schema,
  });
  if (json === true) return printJson(answer);
  if (answer.data.length === 0) {
    console.log("There is no such link.");
    return;
  }
  printTable([
    ["ID", "STATE", "END USER", "FOR", "USES", "CREATED BY", "EXPIRES"],
    ...answer.data.map((link) => [
      link.id,
      link.state,
      link.tags["end_user_id"] ?? "-",
      link.reconnects === null
        ? "new connections"
        : `reconnecting ${link.reconnects.connection_id}`,
      `${link.uses} of ${link.max_uses}`,
      link.created_by?.name ?? "-",
      link.expires_at,
    ]),
  ]);
}

async function createLink(options: CreateOptions): Promise<void> {
  const { integration, note } = options;
  const answer = await callPlatform(findPlatform(options.environment), {
    ...{ method: "POST", path: "/connect/links" },
    body: {
      tags: { end_user_id: options.endUser },
      ...(integration !== undefined && { allowed_integrations: integration }),
      expires_in_seconds: secondsOf(options.expiresIn),
      max_uses: Number(options.uses),
      with_code: options.code === true,
      ...(note !== undefined && { note }),
    },
    answer: createConnectLink.success.schema,
  });
  if (options.json === true) return printJson(answer);
  const { link, url, code } = answer.data;
  console.error(`The link works until ${link.expires_at}. Its address is shown once:`);
  console.log(url);
  if (code !== null) console.log(`Code (send it over another channel): ${code}`);
}

async function reconnect(options: ReconnectOptions): Promise<void> {
  const { integration, search, connection } = options;
  if (connection !== undefined && integration === undefined) {
    throw new UserError("--connection needs --integration: ids are unique in an integration only.");
  }
  const target =
    connection === undefined
      ? { filter: { provider_config_key: integration, search } }
      : {
          connections: connection.map((id) => ({
            provider_config_key: integration,
            connection_id: id,
          })),
        };
  const answer = await callPlatform(findPlatform(options.environment), {
    ...{ method: "POST", path: "/connect/links/reconnect" },
    body: { ...target, expires_in_seconds: secondsOf(options.expiresIn) },
    answer: createReconnectLinks.success.schema,
  });
  if (options.json === true) return printJson(answer);
  const { links, skipped } = answer.data;
  for (const { connection_id: id, reason } of skipped) {
    const words =
      reason === "works" ? "works, and needs no link" : "has no tags that say whose it is";
    console.error(`${id} ${words}`);
  }
  console.error(`${links.length} links created. Their addresses are shown once.`);
  printTable([
    ["INTEGRATION", "CONNECTION", "END USER", "ADDRESS"],
    ...links.map(({ link: { reconnects, tags }, url }) => [
      reconnects?.provider_config_key ?? "",
      reconnects?.connection_id ?? "",
      tags["end_user_id"] ?? "-",
      url,
    ]),
  ]);
}

async function revokeLink(id: string, { environment }: { environment: string }): Promise<void> {
  await callPlatform(findPlatform(environment), {
    ...{ method: "DELETE", path: `/connect/links/${encodeURIComponent(id)}` },
    answer: z.unknown(),
  });
  console.log("The link is revoked.");
}

function secondsOf(hours: string): number {
  if (/^\d{1,3}$/.test(hours)) return Number(hours) * HOUR_SECONDS;
  throw new UserError(
    `--expires-in takes a number of hours, such as 168; "${hours}" is not a number.`,
  );
}
