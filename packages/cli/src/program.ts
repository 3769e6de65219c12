import { Command } from "commander";
import { mcpCommand } from "./commands/agents/mcp.ts";
import { toolsCommand } from "./commands/agents/tools.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand } from "./commands/backup.ts";
import { compileCommand } from "./commands/compile.ts";
import { connectionsCommand } from "./commands/connections.ts";
import { createCommand } from "./commands/create.ts";
import { deployCommand } from "./commands/deploy.ts";
import { devCommand } from "./commands/dev.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { dryrunCommand } from "./commands/dryrun.ts";
import { generateAliases, generateCommand } from "./commands/generate.ts";
import { initCommand } from "./commands/init.ts";
import { integrationsCommand } from "./commands/integrations.ts";
import { keysCommand } from "./commands/keys.ts";
import { logsCommand } from "./commands/logs.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { moveCommand } from "./commands/move.ts";
import { openCommand } from "./commands/people/open.ts";
import { setupLinkCommand } from "./commands/people/setup-link.ts";
import { usersCommand } from "./commands/people/users.ts";
import { providersCommand } from "./commands/providers.ts";
import { pullCommand } from "./commands/pull.ts";
import { quarantineCommand, resumeCommand } from "./commands/quarantine.ts";
import { renameCommand, rmCommand } from "./commands/rename.ts";
import { restoreCommand } from "./commands/restore.ts";
import { simulateCommand } from "./commands/simulate.ts";
import { startCommand } from "./commands/start.ts";
import { testCommand } from "./commands/test.ts";
import { triggerCommand } from "./commands/trigger.ts";
import { vaultCommand } from "./commands/vault.ts";
import { versionCommand } from "./commands/version.ts";
import { webhooksCommand } from "./commands/webhooks.ts";
import { readVersion } from "./version.ts";

// Each loads what it needs when it runs: `--help` needs neither the compiler nor the server.
const commands = {
  init: initCommand,
  create: createCommand,
  rename: renameCommand,
  rm: rmCommand,
  compile: compileCommand,
  dev: devCommand,
  dryrun: dryrunCommand,
  test: testCommand,
  deploy: deployCommand,
  integrations: integrationsCommand,
  connections: connectionsCommand,
  trigger: triggerCommand,
  tools: toolsCommand,
  mcp: mcpCommand,
  logs: logsCommand,
  generate: generateCommand,
  providers: providersCommand,
  pull: pullCommand,
  doctor: doctorCommand,
  keys: keysCommand,
  "setup-link": setupLinkCommand,
  open: openCommand,
  users: usersCommand,
  backup: backupCommand,
  migrate: migrateCommand,
  move: moveCommand,
  quarantine: quarantineCommand,
  restore: restoreCommand,
  resume: resumeCommand,
  simulate: simulateCommand,
  start: startCommand,
  audit: auditCommand,
  vault: vaultCommand,
  webhooks: webhooksCommand,
  version: versionCommand,
} as const satisfies Record<string, () => Command>;

export function createProgram(): Command {
  const program = new Command("jackfield")
    .description("Write, deploy and run Jackfield functions; start the server.")
    .version(readVersion())
    .addHelpText(
      "after",
      "\nExamples:\n  $ jackfield start\n  $ jackfield init my-functions\n  $ jackfield deploy dev",
    );
  for (const create of Object.values(commands)) program.addCommand(create());
  for (const alias of generateAliases()) program.addCommand(alias, { hidden: true });
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError("(see --help)");
  }
  return program;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
