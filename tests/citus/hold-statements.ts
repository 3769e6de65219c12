import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize } from "node:v8";
import pg from "pg";
import type { Reporter, Vitest } from "vitest/node";
import { administer, withDatabase } from "../../packages/server/src/platform/testing/administer.ts";
import { type Allowed, allowed } from "./allowed-statements.ts";
import { groups } from "./distributed-tables.ts";
import { findTraps } from "./find-traps.ts";
import type { SentStatement } from "./record-statements.ts";
import { findReach, makeShadow } from "./shadow.ts";

const preparing = join(import.meta.dirname, "../../deploy/citus/prepare.sql");

/** A statement that Citus would refuse, or send to several servers. */
export interface Refused {
  readonly from: string;
  readonly text: string;
  readonly problems: readonly string[];
}

/**
 * Promise U10 over a whole run: each statement about distributed tables that the server's code has sent in it is held
 * against a schema that is partitioned as Citus distributes it. One that reaches several servers fails the run, unless
 * `allowed-statements.ts` says why it may.
 */
export function holdStatements(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(started) {
      vitest = started;
    },
    async onTestRunEnd() {
      const { testRun, databaseServer } = vitest?.getRootProject().getProvidedContext() ?? {};
      if (testRun === undefined || databaseServer === undefined) return;
      const sent = await readStatements(testRun.folder);
      if (sent.length === 0) return;
      const { refused, excused } = await holdAll(databaseServer, sent);
      const counts = `${sent.length} about distributed tables, ${excused} allowed to reach several servers`;
      process.stdout.write(`\nStatements: ${counts}, ${refused.length} refused\n`);
      for (const { from, text, problems } of refused) {
        process.stdout.write(
          `  ${from}: ${problems.join("; ")}\n    ${text.replace(/\s+/g, " ").trim().slice(0, 400)}\n`,
        );
      }
      if (refused.length > 0) process.exitCode = 1;
    },
  };
}

async function readStatements(folder: string): Promise<SentStatement[]> {
  const found = new Map<string, SentStatement>();
  for (const name of await readdir(folder)) {
    if (!/^statements-\d+\.lines$/.test(name)) continue;
    for (const line of (await readFile(join(folder, name), "utf8")).split("\n")) {
      if (line === "") continue;
      const statement: SentStatement = JSON.parse(line);
      found.set(statement.text, statement);
    }
  }
  return [...found.values()];
}

async function holdAll(
  { url, template }: { readonly url: string; readonly template: string },
  sent: readonly SentStatement[],
): Promise<{ refused: Refused[]; excused: number }> {
  const name = `jackfield_shadow_${randomUUID().replaceAll("-", "")}`;
  await administer(url, `create database ${name} template ${template}`);
  const client = new pg.Client({ connectionString: withDatabase(url, name) });
  await client.connect();
  try {
    await client.query(await readFile(preparing, "utf8"));
    await makeShadow(client, groups);
    const refused: Refused[] = [];
    let excused = 0;
    for (const statement of sent) {
      const { problems, joins } = await findProblems(client, statement);
      if (problems.length + joins.length === 0) continue;
      const entry = allowed.find((entry) => isAbout(entry, statement));
      // That a statement may reach several servers is no reason for it to join tables of different ones.
      const left = entry === undefined ? [...problems, ...joins] : entry.joins ? [] : joins;
      if (left.length === 0) excused += 1;
      else refused.push({ from: statement.from, text: statement.text, problems: left });
    }
    return { refused, excused };
  } finally {
    await client.end();
    await administer(url, `drop database ${name} with (force)`);
  }
}

export async function findProblems(
  client: pg.Client,
  { text, values }: Pick<SentStatement, "text" | "values">,
): Promise<{ problems: string[]; joins: string[] }> {
  const traps = findTraps(text, groups);
  const parameters: unknown[] = deserialize(Buffer.from(values, "base64"));
  const { problem, join } = await findReach(client, { text, values: parameters }, groups);
  return {
    problems: problem === undefined ? traps : [...traps, problem],
    joins: join === undefined ? [] : [join],
  };
}

function isAbout({ from, has }: Allowed, statement: SentStatement): boolean {
  return statement.from === from && (has === undefined || statement.text.includes(has));
}
