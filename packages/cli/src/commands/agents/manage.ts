import { Argument, Command, Option } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";
import { addServer, type ClientName, clientNames } from "./client-files.ts";

const KEY_DAYS = 30;
const MOST_DAYS = 365;
const DAY_MS = 86_400_000;

const lookScopes = [
  "environment:integrations:list",
  "environment:integrations:read",
  "environment:connections:list",
  "environment:connections:read",
  "environment:syncs:read",
  "environment:functions:list",
  "environment:functions:read",
  "environment:functions:compile",
  "environment:records:read",
  "environment:logs:read",
  "environment:problems:read",
  "environment:webhooks:read",
];

const accessScopes = {
  look: lookScopes,
  deploy: [
    ...lookScopes,
    "environment:connect_sessions:write",
    "environment:functions:dryrun",
    "environment:deploy",
    "environment:syncs:execute",
    "environment:actions:execute",
  ],
} as const;

export function manageCommand(): Command {
  return new Command("manage")
    .description("let a coding agent in this folder manage an environment, with its own key")
    .addArgument(new Argument("<client>", "which client").choices(clientNames))
    .addOption(
      new Option("--access <level>", "what the key may do: look, or also run and deploy functions")
        .choices(Object.keys(accessScopes))
        .default("look"),
    )
    .option("--days <number>", "how long the key works", String(KEY_DAYS))
    .option("-e, --environment <name>", "which environment", "dev")
    .addHelpText(
      "after",
      "\nWrites the client's file in this folder, with a new API key: keep the file out of version control.\n" +
        "An agent that may deploy functions can run code with the credentials of connections.\n" +
        "\nExample:\n  $ jackfield mcp manage claude-code",
    )
    .action(manage);
}

interface ManageOptions {
  environment: string;
  access: keyof typeof accessScopes;
  days: string;
}

const createdKey = z.looseObject({
  data: z.looseObject({ secret: z.string(), expires_at: z.string().nullable().optional() }),
});

async function manage(client: ClientName, options: ManageOptions): Promise<void> {
  const days = Number(options.days);
  if (!(Number.isInteger(days) && days >= 1 && days <= MOST_DAYS)) {
    throw new UserError(`--days is a number from 1 to ${MOST_DAYS}, not "${options.days}".`, {
      exitCode: exitCodes.usage,
    });
  }
  const platform = findPlatform(options.environment);
  const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString();
  const { data } = await callPlatform(platform, {
    method: "POST",
    path: "/environment/api-keys",
    body: {
      display_name: `Coding agent in ${client}, ${new Date().toISOString()}`,
      scopes: accessScopes[options.access],
      expires_at: expiresAt,
    },
    answer: createdKey,
  });
  const file = await addServer(process.cwd(), {
    ...{ client, name: "jackfield-manage", token: data.secret },
    url: `${platform.host}/mcp/manage`,
  });
  console.log(`Wrote ${file}: tools for ${options.environment} until ${expiresAt}.`);
  console.log("It holds an API key of its own: keep it out of version control.");
}
