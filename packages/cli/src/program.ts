import { Command } from "commander";
import { mcpCommand } from "./commands/agents/mcp.ts";
import { skillsCommand } from "./commands/agents/skills.ts";
import { toolsCommand } from "./commands/agents/tools.ts";
import { auditCommand } from "./commands/environment/audit.ts";
import { connectionsCommand } from "./commands/environment/connections.ts";
import { integrationsCommand } from "./commands/environment/integrations.ts";
import { keysCommand } from "./commands/environment/keys.ts";
import { logsCommand } from "./commands/environment/logs.ts";
import { providersCommand } from "./commands/environment/providers.ts";
import { recordsCommand } from "./commands/environment/records.ts";
import { destinationsCommand } from "./commands/environment/destinations.ts";
import { revokeCommand } from "./commands/environment/revoke.ts";
import { tapeCommand } from "./commands/environment/tape.ts";
import { triggerCommand } from "./commands/environment/trigger.ts";
import { webhooksCommand } from "./commands/environment/webhooks.ts";
import { canaryCommand } from "./commands/functions/canary.ts";
import { compileCommand } from "./commands/functions/compile.ts";
import { createCommand } from "./commands/functions/create.ts";
import { deployCommand } from "./commands/functions/deploy.ts";
import { devCommand } from "./commands/functions/dev.ts";
import { dryrunCommand } from "./commands/functions/dryrun.ts";
import { egressCommand } from "./commands/functions/egress.ts";
import { generateAliases, generateCommand } from "./commands/functions/generate.ts";
import { initCommand } from "./commands/functions/init.ts";
import { pullCommand } from "./commands/functions/pull.ts";
import { renameCommand, rmCommand } from "./commands/functions/rename.ts";
import { replayCommand } from "./commands/functions/replay.ts";
import { rollbackCommand } from "./commands/functions/rollback.ts";
import { testCommand } from "./commands/functions/test.ts";
import { migrateCommand } from "./commands/migrate/migrate.ts";
import { openCommand } from "./commands/people/open.ts";
import { setupLinkCommand } from "./commands/people/setup-link.ts";
import { usersCommand } from "./commands/people/users.ts";
import { backupCommand } from "./commands/server/backup.ts";
import { doctorCommand } from "./commands/server/doctor.ts";
import { moveCommand } from "./commands/server/move.ts";
import { quarantineCommand, resumeCommand } from "./commands/server/quarantine.ts";
import { restoreCommand } from "./commands/server/restore.ts";
import { startCommand } from "./commands/server/start.ts";
import { simulateCommand } from "./commands/simulate.ts";
import { vaultCommand } from "./commands/vault.ts";
import { versionCommand } from "./commands/version.ts";
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
  replay: replayCommand,
  deploy: deployCommand,
  rollback: rollbackCommand,
  canary: canaryCommand,
  egress: egressCommand,
  integrations: integrationsCommand,
  connections: connectionsCommand,
  destinations: destinationsCommand,
  revoke: revokeCommand,
  trigger: triggerCommand,
  tools: toolsCommand,
  mcp: mcpCommand,
  skills: skillsCommand,
  logs: logsCommand,
  records: recordsCommand,
  tape: tapeCommand,
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
