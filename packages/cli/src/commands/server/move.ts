import { Command, Option } from "commander";
import { startProgress } from "../../output/progress.ts";
import { exitCodes, messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "../vault/vault-server.ts";

interface MoveOptions {
  to?: "server" | "embedded";
}

export function moveCommand(): Command {
  return new Command("move")
    .description("move the installation between the embedded database and your own server")
    .addOption(
      new Option(
        "--to <place>",
        "where to: the empty database of SVC_DATABASE_URL, or the folder",
      ).choices(["server", "embedded"]),
    )
    .addHelpText(
      "after",
      "\nStop the server first. SVC_DATABASE_URL names the server in both directions. The old database\n" +
        "goes into quarantine, so that it does nothing if somebody starts it.\n" +
        "\nExample:\n  $ SVC_DATABASE_URL=postgres://… jackfield move --to server",
    )
    .action(move)
    .addCommand(moveLogsCommand());
}

function moveLogsCommand(): Command {
  return new Command("logs")
    .description("move the logs to the database of SVC_LOGS_DATABASE_URL while servers run")
    .option("--back", "move them back to the main database")
    .addHelpText(
      "after",
      "\nStart the servers with SVC_LOGS_DATABASE_URL first (or, for --back, without it): from then on they write\n" +
        "there, and this command moves earlier logs, the newest days first. You can run it again at any time.\n" +
        "\nExample:\n  $ SVC_DATABASE_URL=postgres://… SVC_LOGS_DATABASE_URL=postgres://… jackfield move logs",
    )
    .action(moveLogs);
}

async function moveLogs({ back }: { back?: true }): Promise<void> {
  const { server, config } = await loadServer();
  using progress = startProgress();
  const report = await server
    .moveLogs(config, {
      back: back === true,
      tell: ({ rows, table }) => progress.show(`${rows} rows, ${table}`),
    })
    .catch((cause: unknown) => {
      throw new UserError(`Not all logs are moved: ${messageOf(cause)}`, { cause });
    });
  progress[Symbol.dispose]();
  console.log(`${report.rows} rows of ${report.partitions} partitions moved.`);
}

async function move({ to }: MoveOptions): Promise<void> {
  if (to === undefined) {
    const message = "name where to with --to server or --to embedded";
    throw new UserError(message, { exitCode: exitCodes.usage });
  }
  const { server, config } = await loadServer();
  using progress = startProgress();
  const report = await server
    .moveDatabase(config, { to, tell: ({ rows }) => progress.show(`${rows} rows`) })
    .catch((cause: unknown) => {
      throw new UserError(`Nothing is moved: ${messageOf(cause)}`, { cause });
    });
  progress[Symbol.dispose]();
  const { tables, rows, skipped } = report;
  console.log(`${tables} tables with ${rows} rows moved.`);
  if (skipped.length > 0) console.log(`Not a table of Jackfield, left out: ${skipped.join(", ")}`);
  const next = to === "server" ? "with SVC_DATABASE_URL" : "without SVC_DATABASE_URL";
  console.log(`Start the server ${next} from now on.`);
}
