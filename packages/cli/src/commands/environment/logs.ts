import { setTimeout as sleep } from "node:timers/promises";
import { styleText } from "node:util";
import { Command } from "commander";
import * as z from "zod";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { findDashboard } from "../../platform/find-dashboard.ts";
import { findPlatform } from "../../platform/find-platform.ts";

interface LogsOptions {
  environment: string;
  follow?: true;
  integration?: string;
  connection?: string;
  function?: string;
  state?: string;
  search?: string;
  minDuration?: string;
  maxDuration?: string;
  limit: string;
  json?: true;
}

const POLL_MS = 1000;
/** Operations that began that long before the newest known one are looked at again: they may have ended. */
const LOOK_BACK_MS = 10 * 60_000;
/** Of one look while following. */
const FOLLOWED = "500";

const named = z.looseObject({ name: z.string() }).nullable();
const operation = z.looseObject({
  id: z.string(),
  operation: z.looseObject({ type: z.string(), action: z.string() }),
  state: z.string(),
  message: z.string(),
  integration: named,
  connection: named,
  function: named,
  created_at: z.string(),
  duration_ms: z.number().nullable(),
});
const operationList = z.looseObject({ data: z.array(operation) });
const messageList = z.looseObject({
  data: z.array(
    z.looseObject({
      level: z.string(),
      message: z.string(),
      created_at: z.string(),
      meta: z.unknown(),
    }),
  ),
});

type Operation = z.output<typeof operation>;

export function logsCommand(): Command {
  return new Command("logs")
    .description("show the operations of an environment, or the messages of one operation")
    .argument("[operation]", "id of an operation: shows its messages")
    .option("-e, --environment <name>", "environment of the logs", "dev")
    .option("-f, --follow", "follow new entries until Ctrl-C")
    .option("-i, --integration <id>", "only this integration's")
    .option("--connection <id>", "only this connection's")
    .option("--function <name>", "only this function's")
    .option("--state <list>", "only these states, such as failed,timeout")
    .option("--search <text>", "only operations that contain this text, also in their messages")
    .option("--min-duration <ms>", "only operations that took at least so many milliseconds")
    .option("--max-duration <ms>", "only operations that took at most so many milliseconds")
    .option("--limit <count>", "how many", "50")
    .option("--json", "print the API's answer as JSON; with --follow one operation a line")
    .addHelpText(
      "after",
      "\nThe API key needs environment:logs:read.\n" +
        "\nExamples:\n  $ jackfield logs --state failed\n  $ jackfield logs --follow --function contacts\n" +
        "  $ jackfield logs 0199f0c2-7d1e-7c1c-9f63-5d0f0a3f5f10",
    )
    .action(logs);
}

async function logs(id: string | undefined, options: LogsOptions): Promise<void> {
  const platform = findPlatform(options.environment);
  if (id !== undefined) await showMessages(platform, id, options);
  else if (options.follow === true) await follow(platform, options);
  else await showOperations(platform, options);
}

async function showMessages(platform: Platform, id: string, options: LogsOptions): Promise<void> {
  const { limit, search } = options;
  const answer = await callPlatform(platform, {
    method: "GET",
    path: `/logs/operations/${encodeURIComponent(id)}/messages`,
    query: { limit, ...(search !== undefined && { search }) },
    answer: messageList,
  });
  if (options.json === true) {
    printJson(answer);
    return;
  }
  for (const { level, message, created_at: at, meta } of answer.data) {
    const details = meta === null || meta === undefined ? "" : ` ${JSON.stringify(meta)}`;
    console.log(`${at}  ${level.padEnd(5)}  ${message}${details}`);
  }
  const dashboard = await findDashboard(platform.host);
  // Not among the messages, which may be piped on.
  if (dashboard !== undefined) console.error(`${dashboard}/o/${id}`);
}

async function showOperations(platform: Platform, options: LogsOptions): Promise<void> {
  const data = await listOperations(platform, options, { limit: options.limit });
  if (options.json === true) printJson({ data });
  else for (const each of data.toReversed()) console.log(presentOperation(each));
}

/** Prints each operation when it is seen first, and again when its state changes. */
async function follow(platform: Platform, options: LogsOptions): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort());
  }
  const states = new Map<string, string>();
  let page: Readonly<Record<string, string>> = { limit: options.limit };
  while (!stopping.signal.aborted) {
    const data = await listOperations(platform, options, page);
    const fresh = data.toReversed().filter(({ id, state }) => states.get(id) !== state);
    for (const each of fresh) {
      states.set(each.id, each.state);
      console.log(options.json === true ? JSON.stringify(each) : presentOperation(each));
    }
    const [newest] = data;
    if (newest !== undefined) {
      const from = new Date(Date.parse(newest.created_at) - LOOK_BACK_MS);
      page = { limit: FOLLOWED, from: from.toISOString() };
    }
    const known = new Set(data.map(({ id }) => id));
    for (const id of states.keys()) if (!known.has(id)) states.delete(id);
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

async function listOperations(
  platform: Platform,
  options: LogsOptions,
  page: Readonly<Record<string, string>>,
): Promise<Operation[]> {
  const { integration, connection, state, search, minDuration, maxDuration } = options;
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: "/logs/operations",
    query: {
      ...page,
      ...(integration !== undefined && { integrations: integration }),
      ...(connection !== undefined && { connections: connection }),
      ...(options.function !== undefined && { functions: options.function }),
      ...(state !== undefined && { states: state }),
      ...(search !== undefined && { search }),
      ...(minDuration !== undefined && { min_duration_ms: minDuration }),
      ...(maxDuration !== undefined && { max_duration_ms: maxDuration }),
    },
    answer: operationList,
  });
  return data;
}

const colours: Readonly<Record<string, "green" | "red" | "yellow" | "dim">> = {
  success: "green",
  failed: "red",
  timeout: "red",
  running: "yellow",
};

function presentOperation(each: Operation): string {
  const { operation: what, state, integration, connection, function: fn } = each;
  const label = styleText(colours[state] ?? "dim", state.padEnd(9), { stream: process.stdout });
  const place = [integration, fn].flatMap((of) => (of === null ? [] : [of.name])).join("/");
  const took = each.duration_ms === null ? "" : ` (${each.duration_ms} ms)`;
  const parts = [
    each.created_at,
    label,
    `${what.type}:${what.action}`.padEnd(20),
    place,
    connection?.name ?? "",
  ];
  return `${parts.filter((part) => part !== "").join("  ")}  ${each.message}${took}  ${each.id}`;
}
