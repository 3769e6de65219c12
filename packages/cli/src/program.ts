import { Command } from "commander";
import { readVersion } from "./version.ts";

// A command line loads the command that it names; the compiler and the server only load when that runs.
const commands = {
  init: async () => (await import("./commands/functions/init.ts")).initCommand(),
  create: async () => (await import("./commands/functions/create.ts")).createCommand(),
  rename: async () => (await import("./commands/functions/rename.ts")).renameCommand(),
  rm: async () => (await import("./commands/functions/rename.ts")).rmCommand(),
  compile: async () => (await import("./commands/functions/compile.ts")).compileCommand(),
  dev: async () => (await import("./commands/functions/dev.ts")).devCommand(),
  dryrun: async () => (await import("./commands/functions/dryrun.ts")).dryrunCommand(),
  test: async () => (await import("./commands/functions/test.ts")).testCommand(),
  replay: async () => (await import("./commands/functions/replay.ts")).replayCommand(),
  deploy: async () => (await import("./commands/functions/deploy.ts")).deployCommand(),
  rollback: async () => (await import("./commands/functions/rollback.ts")).rollbackCommand(),
  canary: async () => (await import("./commands/functions/canary.ts")).canaryCommand(),
  egress: async () => (await import("./commands/functions/egress.ts")).egressCommand(),
  integrations: async () =>
    (await import("./commands/environment/integrations.ts")).integrationsCommand(),
  connections: async () =>
    (await import("./commands/environment/connections.ts")).connectionsCommand(),
  links: async () => (await import("./commands/environment/connect-links.ts")).linksCommand(),
  "rate-limits": async () =>
    (await import("./commands/environment/rate-limits.ts")).rateLimitsCommand(),
  revoke: async () => (await import("./commands/revoke/revoke.ts")).revokeCommand(),
  trigger: async () => (await import("./commands/environment/trigger.ts")).triggerCommand(),
  tools: async () => (await import("./commands/agents/tools.ts")).toolsCommand(),
  toolsets: async () => (await import("./commands/agents/toolsets.ts")).toolsetsCommand(),
  mcp: async () => (await import("./commands/agents/mcp.ts")).mcpCommand(),
  skills: async () => (await import("./commands/agents/skills.ts")).skillsCommand(),
  logs: async () => (await import("./commands/environment/logs.ts")).logsCommand(),
  records: async () => (await import("./commands/records/records.ts")).recordsCommand(),
  destinations: async () =>
    (await import("./commands/records/destinations.ts")).destinationsCommand(),
  "sql-access": async () => (await import("./commands/records/sql-access.ts")).sqlAccessCommand(),
  tape: async () => (await import("./commands/environment/tape.ts")).tapeCommand(),
  generate: async () => (await import("./commands/functions/generate.ts")).generateCommand(),
  providers: async () => (await import("./commands/environment/providers.ts")).providersCommand(),
  pull: async () => (await import("./commands/functions/pull.ts")).pullCommand(),
  doctor: async () => (await import("./commands/server/doctor.ts")).doctorCommand(),
  keys: async () => (await import("./commands/environment/keys.ts")).keysCommand(),
  "setup-link": async () => (await import("./commands/people/setup-link.ts")).setupLinkCommand(),
  open: async () => (await import("./commands/people/open.ts")).openCommand(),
  users: async () => (await import("./commands/people/users.ts")).usersCommand(),
  backup: async () => (await import("./commands/server/backup.ts")).backupCommand(),
  migrate: async () => (await import("./commands/migrate/migrate.ts")).migrateCommand(),
  move: async () => (await import("./commands/server/move.ts")).moveCommand(),
  quarantine: async () => (await import("./commands/server/quarantine.ts")).quarantineCommand(),
  restore: async () => (await import("./commands/server/restore.ts")).restoreCommand(),
  resume: async () => (await import("./commands/server/quarantine.ts")).resumeCommand(),
  simulate: async () => (await import("./commands/simulate.ts")).simulateCommand(),
  start: async () => (await import("./commands/server/start.ts")).startCommand(),
  audit: async () => (await import("./commands/environment/audit.ts")).auditCommand(),
  vault: async () => (await import("./commands/vault.ts")).vaultCommand(),
  webhooks: async () => (await import("./commands/environment/webhooks.ts")).webhooksCommand(),
  version: async () => (await import("./commands/version.ts")).versionCommand(),
} as const satisfies Record<string, () => Promise<Command>>;

/** The program with the command that the line names, or with all of them: for its help, and to suggest one. */
export async function createProgram(argv: readonly string[] = []): Promise<Command> {
  const program = new Command("jackfield")
    .description("Write, deploy and run Jackfield functions; start the server.")
    .version(readVersion())
    .addHelpText(
      "after",
      "\nExamples:\n  $ jackfield start\n  $ jackfield init my-functions\n  $ jackfield deploy dev",
    );
  const [first = ""] = argv;
  const named = Object.entries(commands).filter(([name]) => name === first);
  const load = named.length > 0 ? named : Object.entries(commands);
  for (const command of await Promise.all(load.map(async ([, create]) => await create()))) {
    program.addCommand(command);
  }
  if (named.length === 0) {
    const { generateAliases } = await import("./commands/functions/generate.ts");
    for (const alias of generateAliases()) program.addCommand(alias, { hidden: true });
  }
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError("(see --help)");
  }
  return program;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
