import { Command } from "commander";
import { compileCommand } from "./commands/compile.ts";
import { deployCommand } from "./commands/deploy.ts";
import { initCommand } from "./commands/init.ts";
import { keysCommand } from "./commands/keys.ts";
import { startCommand } from "./commands/start.ts";
import { vaultCommand } from "./commands/vault.ts";
import { versionCommand } from "./commands/version.ts";
import { readVersion } from "./version.ts";

// Each loads what it needs when it runs: `--help` needs neither the compiler nor the server.
const commands = {
  init: initCommand,
  compile: compileCommand,
  deploy: deployCommand,
  keys: keysCommand,
  start: startCommand,
  vault: vaultCommand,
  version: versionCommand,
} as const satisfies Record<string, () => Command>;

export function createProgram(): Command {
  const program = new Command("jackfield")
    .description("Write, deploy and run Jackfield functions; start the platform.")
    .version(readVersion())
    .addHelpText(
      "after",
      "\nExamples:\n  $ jackfield start\n  $ jackfield init my-functions\n  $ jackfield deploy dev",
    );
  for (const create of Object.values(commands)) program.addCommand(create());
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError("(--help tells more)");
  }
  return program;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
