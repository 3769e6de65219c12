import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize } from "node:v8";
import pg from "pg";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import {
  administer,
  withDatabase,
} from "../../packages/server/src/foundation/testing/administer.ts";
import { type Allowed, allowed as allowedStatements, type Problems } from "./allowed-statements.ts";
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

export interface HoldOptions {
  readonly allowed: readonly Allowed[];
  /** Whether a run has to send statements, and may need each entry of the list: one of all files, on the usual schema. */
  readonly isWhole: (vitest: Vitest, modules: readonly TestModule[]) => Promise<boolean>;
}

/**
 * Promise U10 over a whole run: each statement about distributed tables that the server's code has sent in it is held
 * against a schema that is partitioned as Citus distributes it. One that reaches several servers fails the run, unless
 * `allowed-statements.ts` says why it may; so does a whole run that has sent none, or in which no statement needs what is
 * allowed. Where tests were skipped, for want of a program, what is not needed is only reported.
 */
export function holdStatements({ allowed, isWhole }: HoldOptions = standard): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(started) {
      vitest = started;
    },
    async onTestRunEnd(testModules) {
      if (vitest === undefined) return;
      const isAll = await isWhole(vitest, testModules);
      const { testRun, databaseServer } = vitest.getRootProject().getProvidedContext();
      const sent = testRun === undefined ? [] : await readStatements(testRun.folder);
      if (sent.length === 0 || databaseServer === undefined) {
        if (isAll) fail("Statements: none was recorded, so that none was held against the schema");
        return;
      }
      const { refused, used } = await holdAll(databaseServer, { sent, allowed });
      const texts = new Set(sent.map(({ text }) => text)).size;
      const counts = `${texts} about distributed tables, ${used.size} of ${allowed.length} exceptions needed`;
      process.stdout.write(`\nStatements: ${counts}, ${refused.length} refused\n`);
      for (const { from, text, problems } of refused) {
        fail(
          `  ${from}: ${problems.join("; ")}\n    ${text.replace(/\s+/g, " ").trim().slice(0, 400)}`,
        );
      }
      if (!isAll) return;
      const report = hasSkipped(testModules) ? print : fail;
      for (const entry of allowed.filter((entry) => !used.has(entry))) {
        const has = entry.has === undefined ? "" : ` with "${entry.has}"`;
        report(`  ${entry.from}${has}: is allowed, but no statement of the run needs it`);
      }
    },
  };
}

const standard: HoldOptions = { allowed: allowedStatements, isWhole: isWholeRun };

export async function isWholeRun(vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> {
  const { testNamePattern, project, shard } = vitest.config;
  if (testNamePattern !== undefined || project.length > 0 || shard !== undefined) return false;
  const { schema } = vitest.projects[0]?.getProvidedContext() ?? {};
  if (schema !== "plain") return false;
  return (await vitest.globTestSpecifications()).length === modules.length;
}

function hasSkipped(modules: readonly TestModule[]): boolean {
  return modules.some((each) => !each.children.allTests("skipped").next().done);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string): void {
  print(line);
  process.exitCode = 1;
}

async function readStatements(folder: string): Promise<SentStatement[]> {
  const found = new Map<string, SentStatement>();
  for (const name of await readdir(folder)) {
    if (!/^statements-\d+\.lines$/.test(name)) continue;
    for (const line of (await readFile(join(folder, name), "utf8")).split("\n")) {
      if (line === "") continue;
      const statement: SentStatement = JSON.parse(line);
      found.set(`${statement.isPrepared} ${statement.text} ${statement.values}`, statement);
    }
  }
  return [...found.values()];
}

interface Run {
  readonly sent: readonly SentStatement[];
  readonly allowed: readonly Allowed[];
}

async function holdAll(
  { url, template }: { readonly url: string; readonly template: string },
  { sent, allowed }: Run,
): Promise<{ refused: Refused[]; used: ReadonlySet<Allowed> }> {
  const name = `jackfield_shadow_${randomUUID().replaceAll("-", "")}`;
  await administer(url, `create database ${name} template ${template}`);
  const client = new pg.Client({ connectionString: withDatabase(url, name) });
  await client.connect();
  try {
    await client.query(await readFile(preparing, "utf8"));
    await makeShadow(client, groups);
    const refused = new Map<string, Refused>();
    const used = new Set<Allowed>();
    for (const statement of sent) {
      const { problems, by } = judge(statement, await findProblems(client, statement), allowed);
      for (const entry of by) used.add(entry);
      const { from, text } = statement;
      if (problems.length > 0) refused.set(text, { from, text, problems });
    }
    return { refused: [...refused.values()], used };
  } finally {
    await client.end();
    await administer(url, `drop database ${name} with (force)`);
  }
}

/** What is wrong with a statement that no entry excuses, and which entries excuse the rest. */
export function judge(
  statement: Pick<SentStatement, "from" | "text" | "isPrepared">,
  found: Problems,
  allowed: readonly Allowed[],
): { problems: string[]; by: Allowed[] } {
  const entries = allowed.filter((entry) => isAbout(entry, statement));
  const by = new Set<Allowed>();
  const problems: string[] = [];
  for (const kind of kindsOfProblems) {
    if (found[kind].length === 0) continue;
    const entry = entries.find((entry) => excuses(entry, kind, statement.isPrepared));
    if (entry === undefined) problems.push(...found[kind]);
    else by.add(entry);
  }
  const isWrongPlace = statement.isPrepared && entries.some(({ only }) => only === "plain");
  if (problems.length > 0 && isWrongPlace) problems.push("sent on a prepared schema");
  return { problems, by: [...by] };
}

function excuses(entry: Allowed, kind: keyof Problems, isPrepared: boolean): boolean {
  return entry.only === "plain" ? !isPrepared : entry.may.some((each) => each === kind);
}

const kindsOfProblems = ["traps", "plans", "reach", "joins"] as const;

export async function findProblems(
  client: pg.Client,
  { text, values }: Pick<SentStatement, "text" | "values">,
): Promise<Problems> {
  const parameters: unknown[] = deserialize(Buffer.from(values, "base64"));
  const { unplanned, problem, join } = await findReach(
    client,
    { text, values: parameters },
    groups,
  );
  return {
    traps: findTraps(text, groups),
    plans: unplanned === undefined ? [] : [unplanned],
    reach: problem === undefined ? [] : [problem],
    joins: join === undefined ? [] : [join],
  };
}

function isAbout({ from, has }: Allowed, statement: Pick<SentStatement, "from" | "text">): boolean {
  const isSender = from.endsWith("/") ? statement.from.startsWith(from) : statement.from === from;
  return isSender && (has === undefined || statement.text.includes(has));
}
