import { Command, Option } from "commander";
import { needsServer } from "../../load-server.ts";
import { messageOf, UserError } from "../../user-error.ts";
import { deleteKeyCommand, listKeysCommand, replaceKeysCommand } from "./replace-keys.ts";

interface CreateOptions {
  environment?: string;
  account?: true;
  name?: string;
  scope?: string[];
}

export function keysCommand(): Command {
  const keys = new Command("keys").description("API keys of environments and of the account");
  keys
    .command("create")
    .description("create an API key and print it once")
    .addOption(
      new Option(
        "--environment <name>",
        "create a key for this environment, such as dev",
      ).conflicts("account"),
    )
    .option("--account", "create a key for the account, to manage environments and keys")
    .option("--name <display name>", "name of the key in lists")
    .option("--scope <scope...>", "scopes of the key (default: all of its environment or account)")
    .addHelpText(
      "after",
      "\nWorks on the server's database directly, found by the settings that `jackfield start` reads\n" +
        "(SVC_DATA_DIR, SVC_DATABASE_URL, SVC_ENCRYPTION_KEY), whether the server runs or not.\n" +
        "\nExamples:\n  $ jackfield keys create --environment dev\n" +
        "  $ jackfield keys create --environment prod --name ci --scope environment:deploy\n" +
        "  $ jackfield keys create --account",
    )
    .action(createKey);
  keys.addCommand(listKeysCommand());
  keys.addCommand(replaceKeysCommand());
  keys.addCommand(deleteKeyCommand());
  return keys;
}

async function createKey(options: CreateOptions, command: Command): Promise<void> {
  if (options.environment === undefined && options.account === undefined) {
    command.error("error: name what the key is for: --environment <name> or --account");
  }
  const server = await needsServer(import("@jackfield/server"));
  const { config, problems, warnings } = server.readConfig();
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (config === undefined) throw new UserError(problems.join("\n"));
  const made = await server
    .createKey(config, {
      environment: options.environment,
      displayName: options.name,
      scopes: options.scope,
    })
    .catch((cause: unknown) => {
      throw new UserError(`No key was made: ${messageOf(cause)}`, { cause });
    });
  const place = options.environment === undefined ? "the account" : options.environment;
  console.error(
    `Key "${made.displayName}" of ${place} with ${made.scopes.join(", ")}.\n` +
      "It is shown once; only its hash is stored:",
  );
  console.log(made.key);
}
