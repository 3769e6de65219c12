import { Argument, Command } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { addServer, type ClientName, clientNames } from "./client-files.ts";
import { manageCommand } from "./manage.ts";
import { serverCommands } from "./mcp-servers.ts";

interface AddOptions {
  environment: string;
  endUser: string;
  name?: string;
}

const created = z.looseObject({
  data: z.looseObject({
    token: z.string(),
    mcp_url: z.string(),
    expires_at: z.string(),
    tools: z.looseObject({ count: z.number() }),
    missing: z.array(z.string()),
  }),
});

/** As long as a session of an agent may last. */
const DAY_SECONDS = 86_400;

export function mcpCommand(): Command {
  const mcp = new Command("mcp").description("tools in clients of the Model Context Protocol");
  mcp
    .command("add")
    .description("configure a client in this folder to use a toolset for one end user, for a day")
    .addArgument(new Argument("<client>", "which client").choices(clientNames))
    .argument("<toolset>", "name of the toolset")
    .requiredOption("--end-user <id>", "for whom: the tag end_user_id of the connections")
    .option("--name <name>", "name of the server in the client; default: the toolset's name")
    .option("-e, --environment <name>", "environment of the toolset", "dev")
    .addHelpText(
      "after",
      "\nWrites the client's file in this folder, with the token of a new session: keep the file out of\n" +
        "version control. Run the command again to replace the token.\n" +
        "\nExample:\n  $ jackfield mcp add claude-code support-agent --end-user u1",
    )
    .action(add);
  mcp.addCommand(manageCommand());
  for (const command of serverCommands()) mcp.addCommand(command);
  return mcp;
}

async function add(client: ClientName, toolset: string, options: AddOptions): Promise<void> {
  const { data } = await callPlatform(findPlatform(options.environment), {
    method: "POST",
    path: "/agent/sessions",
    body: { toolset, end_user_id: options.endUser, expires_in_seconds: DAY_SECONDS },
    answer: created,
  });
  const { token, mcp_url: url } = data;
  const file = await addServer(process.cwd(), {
    client,
    name: options.name ?? toolset,
    url,
    token,
  });
  console.log(
    `Wrote ${file}: ${data.tools.count} tools for ${options.endUser} until ${data.expires_at}.`,
  );
  console.log("It holds the session's token: keep it out of version control.");
  if (data.missing.length > 0) {
    console.log(`${options.endUser} has not connected: ${data.missing.join(", ")}.`);
  }
}
