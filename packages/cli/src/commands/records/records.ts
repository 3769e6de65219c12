import { once } from "node:events";
import { Command } from "commander";
import { identify, toUnreachable } from "../../deploy/call-platform.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";
import { driftCommand } from "./drift.ts";
import { historyCommand } from "./history.ts";
import { pruneCommand } from "./prune.ts";
import { quarantineCommand } from "./quarantine.ts";

interface FeedOptions {
  environment: string;
  follow?: true;
  models?: string;
  integration?: string;
  connection?: string;
  cursor?: string;
  fromNow?: true;
}

export function recordsCommand(): Command {
  const records = new Command("records").description("records that syncs have saved");
  records
    .command("feed")
    .description("print the changes of all models of an environment, a JSON object in each line")
    .option("-e, --environment <name>", "environment of the records", "dev")
    .option("-f, --follow", "stay at the end and print changes as they come until Ctrl-C")
    .option("--models <list>", "only these models, such as Contact,Deal")
    .option("-i, --integration <id>", "only this integration's")
    .option("--connection <id>", "only this connection's; needs --integration")
    .option("--cursor <cursor>", "only what comes after the event with this cursor")
    .option("--from-now", "only what changes from now on")
    .addHelpText(
      "after",
      "\nThe API key needs environment:records:read. Each line has the cursor to continue after it.\n" +
        "Exit code 1 means that the feed broke off: continue with the last cursor.\n" +
        "\nExamples:\n  $ jackfield records feed --models Contact\n  $ jackfield records feed --follow --from-now",
    )
    .action(printFeed);
  records.addCommand(historyCommand());
  records.addCommand(pruneCommand());
  records.addCommand(quarantineCommand());
  records.addCommand(driftCommand());
  return records;
}

async function printFeed(options: FeedOptions): Promise<void> {
  const { host, key } = findPlatform(options.environment);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort());
  }
  const query = new URLSearchParams({
    live: String(options.follow === true),
    ...(options.models !== undefined && { models: options.models }),
    ...(options.integration !== undefined && { provider_config_key: options.integration }),
    ...(options.connection !== undefined && { connection_id: options.connection }),
    ...(options.cursor !== undefined && { cursor: options.cursor }),
    ...(options.fromNow === true && { from: "now" }),
  });
  const url = `${host}/records/feed?${query}`;
  const response = await fetch(url, {
    headers: { ...identify(key), accept: "application/x-ndjson" },
    redirect: "manual",
    signal: stopping.signal,
  }).catch((error: unknown) => {
    throw toUnreachable(url, error);
  });
  if (response.status !== 200) throw await toRefusal(url, response);
  const isWhole = await printLines(response).catch(() => false);
  if (isWhole || stopping.signal.aborted) return;
  throw new UserError(
    "The feed broke off: continue with --cursor and the cursor of the last line.",
    { exitCode: exitCodes.failed },
  );
}

async function toRefusal(url: string, response: Response): Promise<UserError> {
  const text = await response.text();
  const isKey = [401, 403].includes(response.status);
  const exitCode = isKey ? exitCodes.platform : exitCodes.failed;
  return new UserError(`${url} answered ${response.status}: ${text.trim()}`, { exitCode });
}

/** Prints events as fast as they are taken, without heartbeats; whether the feed came to its end. */
async function printLines({ body }: Response): Promise<boolean> {
  let rest = "";
  let isWhole = false;
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    const events = lines.filter((line) => !line.startsWith('{"type":"heartbeat"'));
    isWhole = lines.at(-1)?.startsWith('{"type":"end"') === true;
    if (events.length === 0) continue;
    if (!process.stdout.write(`${events.join("\n")}\n`)) await once(process.stdout, "drain");
  }
  return isWhole;
}
