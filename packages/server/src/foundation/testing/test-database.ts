import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { inject } from "vitest";
import { type Database, openDatabase } from "../db/index.ts";
import { administer, isPreparedName, PREPARED_NAME, withDatabase } from "./administer.ts";
import { dumpDatabase } from "./dump-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Server that holds the migrated template database; set by the global set-up of the test run. */
    databaseServer: {
      url: string;
      template: string;
      /** The same, made ready for distribution by `deploy/citus/prepare.sql`. */
      preparedTemplate: string;
      /** The same with the days that a server makes at its first start. */
      serverTemplate: string;
      isOwn: boolean;
      /** A program that makes a database of the name it is given, as `scripts/with-citus.sh` does; undefined: a clone. */
      make: string | undefined;
    };
    /** Whether databases of the project are made ready for distribution. */
    schema: "plain" | "prepared";
    /** Where a run keeps what its tests print and leave, to search it for secrets at the end. */
    testRun: { folder: string };
  }
}

export interface TestDatabase extends Database {
  readonly connectionString: string;
}

/**
 * A database of its own for one test file: a clone of the migrated template, dropped afterwards. What it held
 * then is kept for the search for secrets.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  return await cloneOrMake(inject("databaseServer").template);
}

/** The same for tests that start servers, each of which finds its days made; that takes longer than all else of a start. */
export async function createServerDatabase(): Promise<TestDatabase> {
  return await cloneOrMake(inject("databaseServer").serverTemplate);
}

async function cloneOrMake(plainTemplate: string): Promise<TestDatabase> {
  const { preparedTemplate, make } = inject("databaseServer");
  if (make === undefined)
    return await cloneDatabase(isPreparedRun() ? preparedTemplate : plainTemplate);
  const name = newName(preparedTemplate);
  await promisify(execFile)(make, ["make", name]);
  return openTestDatabase(name);
}

/** Whether databases of this project are made ready for distribution: what they do otherwise, docs/scale.md says. */
export function isPreparedRun(): boolean {
  return inject("schema") === "prepared";
}

/** Whether databases are of a cluster, as `scripts/with-citus.sh` makes them. */
export function isClusterRun(): boolean {
  return inject("databaseServer").make !== undefined;
}

/** A clone of a database that nothing is connected to, as a backup of it that was restored. */
export async function copyDatabase(connectionString: string): Promise<TestDatabase> {
  return await cloneDatabase(new URL(connectionString).pathname.slice(1));
}

async function cloneDatabase(template: string): Promise<TestDatabase> {
  const { url, isOwn } = inject("databaseServer");
  const name = newName(template);
  // Quicker where the files are in memory; PostgreSQL 15.
  const strategy = isOwn ? "strategy file_copy" : "";
  await administer(url, `create database ${name} template ${template} ${strategy}`);
  return openTestDatabase(name);
}

/** Says whether it is made ready for distribution, for what watches statements. */
function newName(template: string): string {
  const isPrepared =
    template === inject("databaseServer").preparedTemplate || isPreparedName(template);
  return `${isPrepared ? PREPARED_NAME : "jackfield_test_"}${randomUUID().replaceAll("-", "")}`;
}

function openTestDatabase(name: string): TestDatabase {
  const { url } = inject("databaseServer");
  const connectionString = withDatabase(url, name);
  const errors: Error[] = [];
  const database = openDatabase({
    connectionString,
    maxConnections: 10,
    pooled: false,
    onError: (error) => errors.push(error),
  });
  return {
    ...database,
    connectionString,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      for (const { name: table, text } of await dumpDatabase(connectionString)) {
        if (text !== "")
          await appendFile(
            join(inject("testRun").folder, "left", `table ${table} ${process.pid}`),
            `${text}\n`,
          );
      }
      await dropDatabase(url, name);
    },
  };
}

/** Waits a moment for connections that were closed just now; cut off, one would fail a test that has long ended. */
async function dropDatabase(url: string, name: string): Promise<void> {
  const administrator = new pg.Client({ connectionString: url });
  await administrator.connect();
  try {
    for (let tries = 0; tries < 10 && (await isInUse(administrator, name)); tries += 1) {
      await delay(20);
    }
    await administrator.query(`drop database ${name} with (force)`);
  } finally {
    await administrator.end();
  }
}

async function isInUse(administrator: pg.Client, name: string): Promise<boolean> {
  const sessions = "select from pg_stat_activity where datname = $1";
  return (await administrator.query(sessions, [name])).rowCount !== 0;
}
