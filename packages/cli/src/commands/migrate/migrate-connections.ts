import { Command, InvalidArgumentError, Option } from "commander";
import {
  getOldPlatform,
  listMoved,
  type Moved,
  type MoveResult,
  moveConnections,
} from "../../nango/old-platform-calls.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { startProgress } from "../../output/progress.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface FromOptions {
  environment: string;
  from: string;
  integration?: string;
  json?: true;
}

interface MoveOptions extends FromOptions {
  connection: string[];
  limit?: number;
  oldSide?: string;
}

interface StatusOptions extends FromOptions {
  refused?: true;
}

export function handOverCommand(): Command {
  return (
    moveCommand("hand-over", "take over connections that are read through, one by one")
      .addOption(
        new Option(
          "--old-side <way>",
          "how the old platform is kept from refreshing: delete its connection, or trust that everything there has stopped",
        )
          .choices(["delete", "stopped"])
          .default("delete"),
      )
      .addHelpText(
        "after",
        "\nStop syncs and calls of the connections at the old platform first. A connection is refused while the\n" +
          "old platform would still refresh it; it then stays read through. You can repeat the command.\n" +
          "Exit code 1: a connection was refused.\n" +
          "\nExamples:\n  $ jackfield migrate hand-over --integration hubspot --limit 1\n" +
          "  $ jackfield migrate hand-over --integration hubspot",
      )
      // `migrate` has --json as well, and takes it wherever it is.
      .action(async (_options: MoveOptions, command: Command) => {
        await move("hand-over", command.optsWithGlobals<MoveOptions>());
      })
  );
}

export function handBackCommand(): Command {
  return moveCommand("hand-back", "give connections back to the old platform, which refreshes them")
    .addHelpText(
      "after",
      "\nThe old platform imports the current tokens, and this server forgets its refresh token.\n" +
        "Exit code 1: a connection was refused.\n" +
        "\nExample:\n  $ jackfield migrate hand-back --integration hubspot --connection user-42",
    )
    .action(async (_options: MoveOptions, command: Command) => {
      await move("hand-back", command.optsWithGlobals<MoveOptions>());
    });
}

function moveCommand(name: string, description: string): Command {
  return fromCommand(name, description)
    .option(
      "-c, --connection <id>",
      "only this connection of the integration; repeat the option for more",
      (id: string, all: string[]) => [...all, id],
      [],
    )
    .option("--limit <n>", "at most so many connections", readLimit);
}

export function migrateStatusCommand(): Command {
  return fromCommand(
    "status",
    "report who refreshes the connections that came from an old platform",
  )
    .option("--refused", "list only connections whose last hand-over was refused")
    .addHelpText(
      "after",
      "\nExample:\n  $ jackfield migrate status --integration hubspot --refused",
    )
    .action(async (_options: StatusOptions, command: Command) => {
      await showStatus(command.optsWithGlobals<StatusOptions>());
    });
}

function fromCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option("-e, --environment <name>", "target environment", "dev")
    .option("--from <name>", "name of the old platform", "nango")
    .option("-i, --integration <id>", "only connections of this integration")
    .option("--json", "print the report as JSON");
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}

async function move(way: "hand-over" | "hand-back", options: MoveOptions): Promise<void> {
  const { integration, connection: connections, limit, oldSide } = options;
  if (connections.length > 0 && integration === undefined) {
    throw new UserError("Name the integration of the connections with --integration.", {
      exitCode: exitCodes.usage,
    });
  }
  const target = findPlatform(options.environment);
  const platform = await getOldPlatform(target, options.from);
  using progress = startProgress();
  const moved = await moveConnections(target, platform, {
    ...{ way, oldSide, integration, connections, limit },
    onProgress: (text) => progress.show(text),
  });
  progress[Symbol.dispose]();
  if (options.json === true) printJson({ connections: moved });
  else present(way, moved);
  if (moved.some((each) => !each.is_done)) process.exitCode = exitCodes.failed;
}

function present(way: "hand-over" | "hand-back", moved: readonly MoveResult[]): void {
  const refused = moved.filter((each) => !each.is_done);
  const what = way === "hand-over" ? "handed over" : "handed back";
  console.log(`${moved.length - refused.length} ${what}, ${refused.length} refused`);
  for (const each of refused) console.log(describe(each));
}

function describe({ provider_config_key: key, connection_id: id, state, refusal }: Moved): string {
  const why = refusal === null ? "" : `: ${refusal.code}: ${refusal.message}`;
  return `${key}/${id} (${state})${why}`;
}

async function showStatus(options: StatusOptions): Promise<void> {
  const target = findPlatform(options.environment);
  const platform = await getOldPlatform(target, options.from);
  const { integration, refused, json } = options;
  const filter = {
    ...(integration === undefined ? {} : { provider_config_key: integration }),
    ...(refused === true ? { refused: "true" } : {}),
  };
  const counts = platform.connections;
  if (json === true) {
    const connections: Moved[] = [];
    for await (const page of listMoved(target, platform, filter)) connections.push(...page);
    printJson({ old_platform: platform, connections });
    return;
  }
  printTable([
    ["old platform", "read through", "handed over", "unfinished", "reauthorized"],
    [
      platform.name,
      String(counts.read_through),
      String(counts.handed_over),
      String(counts.handing_over + counts.handing_back),
      String(counts.reauthorized),
    ],
  ]);
  for await (const page of listMoved(target, platform, filter)) {
    for (const each of page) console.log(describe(each));
  }
}
