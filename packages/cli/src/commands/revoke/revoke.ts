import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, Option } from "commander";
import * as z from "zod";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { UserError } from "../../user-error.ts";
import { createKeyFile, replaceKeys } from "./replace-keys.ts";
import { verifyReports } from "./verify-reports.ts";

interface RevokeOptions {
  environment: string;
  integration?: string;
  connection?: string;
  tag?: string[];
  endUser?: string;
  from?: string;
  to?: string;
  readBy?: string;
  reason?: string;
  rehearse?: true;
  endSessions?: true;
  replaceKeys?: string;
}

const LOOK_EVERY_MS = 1000;
const PAGE = 500;

const revocation = z.looseObject({
  id: z.string(),
  environment_id: z.string(),
  state: z.enum(["freezing", "withdrawing", "done"]),
  matched: z.number(),
  counts: z.looseObject({ waiting: z.number() }),
  report: z.string().nullable(),
});
const one = z.looseObject({ data: revocation });
const page = z.looseObject({
  data: z.array(z.looseObject({ id: z.number() })),
  next_cursor: z.string().nullable(),
});
const keySet = z.looseObject({ keys: z.array(z.looseObject({ kid: z.string(), x: z.string() })) });

export function revokeCommand(): Command {
  const revoke = new Command("revoke")
    .description(
      "freeze connections immediately and withdraw their tokens; prints the report as JSON",
    )
    .option("-e, --environment <name>", "environment of the connections", "dev")
    .option("-i, --integration <id>", "connections of this integration")
    .option("-c, --connection <id>", "connections of this id")
    .option("--tag <name=value...>", "connections that have all these tags")
    .option("--end-user <id>", "connections of this end user")
    .option(
      "--from <time>",
      "created or refreshed at or after this time, such as 2026-01-31T12:00:00Z",
    )
    .option("--to <time>", "created or refreshed before this time")
    .option("--read-by <key id>", "connections whose credentials this API key has read")
    .option("--reason <text>", "reason; it is part of the reports")
    .option("--end-sessions", "also end connect sessions and agent sessions that touched them")
    .addOption(
      new Option(
        "--replace-keys <file>",
        "replace the environment's API keys that touched them, and write the new keys to this file",
      ).conflicts("rehearse"),
    )
    .option("--rehearse", "freeze nothing and send nothing; report what would happen")
    .addHelpText(
      "after",
      "\nAll conditions must apply. Exits with 1 if a token could not be withdrawn.\n" +
        "\nExamples:\n  $ jackfield revoke --integration github --rehearse\n" +
        "  $ jackfield revoke --read-by 5b0c… --reason 'Key in a public log' > report.json\n" +
        "  $ jackfield revoke verify report.json",
    )
    .action(start);
  revoke
    .command("verify")
    .argument("<file>", "a report printed by `jackfield revoke`")
    .option("--keys <file>", "a JWK set that you stored, to trust instead of the one in the report")
    .description("verify the signatures of a report, without a server")
    .action(verify);
  revoke
    .command("report")
    .argument("<id>", "a revocation")
    .option("-e, --environment <name>", "environment of the revocation", "dev")
    .description("print the report of a revocation as JSON")
    .action(async (id: string, _options: unknown, command: Command) => {
      const { environment } = command.optsWithGlobals<RevokeOptions>();
      printJson(await readReport(findPlatform(environment), id));
    });
  revoke
    .command("rotate-key")
    .option("-e, --environment <name>", "environment whose reports get a new key", "dev")
    .description("sign reports with a new key from now on, and print all public keys as a JWK set")
    .addHelpText(
      "after",
      "\nReports that the former key has signed stay verifiable: it is listed as retired.\n" +
        "\nExample:\n  $ jackfield revoke rotate-key --environment prod > keys.json",
    )
    .action(async (_options: unknown, command: Command) => {
      const platform = findPlatform(command.optsWithGlobals<RevokeOptions>().environment);
      const path = "/revocation-keys/rotate";
      printJson(await callPlatform(platform, { method: "POST", path, answer: keySet }));
    });
  return revoke;
}

async function start(options: RevokeOptions): Promise<void> {
  // Made before anything begins: new keys that could not be written would be lost.
  await using keyFile =
    options.replaceKeys === undefined ? undefined : await createKeyFile(options.replaceKeys);
  const platform = findPlatform(options.environment);
  const body = {
    match: toMatch(options),
    ...(options.reason !== undefined && { reason: options.reason }),
    rehearsal: options.rehearse === true,
    end_sessions: options.endSessions === true,
  };
  const begun = await callPlatform(platform, {
    ...{ method: "POST", path: "/revocations", body, answer: one },
  });
  const { id } = begun.data;
  using progress = startProgress();
  let { data } = begun;
  while (data.state !== "done") {
    const count = data.matched - data.counts.waiting;
    progress.show(data.state, { count, total: data.matched });
    await sleep(LOOK_EVERY_MS);
    ({ data } = await callPlatform(platform, {
      ...{ method: "GET", path: `/revocations/${id}`, answer: one },
    }));
  }
  printJson(await readReport(platform, id));
  if (keyFile !== undefined) await replaceKeys(platform, id, keyFile);
  const { withdrawn, gone, released } = z.record(z.string(), z.number()).parse(data.counts);
  const isWhole = (withdrawn ?? 0) + (gone ?? 0) + (released ?? 0) === data.matched;
  if (options.rehearse !== true && !isWhole) process.exitCode = 1;
}

function toMatch({ integration, connection, tag = [], endUser, from, to, readBy }: RevokeOptions) {
  const tags = Object.fromEntries(tag.map(readTag));
  return {
    ...(integration !== undefined && { provider_config_key: integration }),
    ...(connection !== undefined && { connection_id: connection }),
    ...(tag.length > 0 && { tags }),
    ...(endUser !== undefined && { end_user_id: endUser }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(readBy !== undefined && { key_id: readBy }),
  };
}

function readTag(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UserError(`--tag ${text}: write it as name=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The revocation, each of its connections, and the public key to verify them with. */
async function readReport(platform: Platform, id: string) {
  const { data } = await callPlatform(platform, {
    ...{ method: "GET", path: `/revocations/${id}`, answer: one },
  });
  const connections = [];
  let cursor: string | null = null;
  do {
    const next: z.output<typeof page> = await callPlatform(platform, {
      ...{ method: "GET", path: `/revocations/${id}/connections`, answer: page },
      query: { limit: String(PAGE), ...(cursor !== null && { cursor }) },
    });
    connections.push(...next.data);
    cursor = next.next_cursor;
  } while (cursor !== null);
  const path = `/revocation-keys/${data.environment_id}`;
  const keys = await callPlatform(platform, { method: "GET", path, answer: keySet });
  return { revocation: data, connections, keys: keys.keys };
}

async function verify(file: string, { keys }: { keys?: string }): Promise<void> {
  const report = await readText(file);
  const trusted = keys === undefined ? undefined : await readText(keys);
  const { connections, summary } = verifyReports(report, trusted);
  console.log(`${connections} reports are genuine${summary ? ", and none is missing" : ""}.`);
}

async function readText(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((cause: unknown) => {
    throw new UserError(`${file} cannot be read.`, { cause });
  });
}
