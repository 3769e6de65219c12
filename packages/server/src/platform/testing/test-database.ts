import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { type Database, openDatabase } from "../db/index.ts";
import { administer, withDatabase } from "./administer.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Server that holds the migrated template database; set by the global set-up of the test run. */
    databaseServer: { url: string; template: string };
  }
}

export interface TestDatabase extends Database {
  readonly connectionString: string;
}

/** A database of its own for one test file: a clone of the migrated template, dropped afterwards. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, template } = inject("databaseServer");
  const name = `jackfield_test_${randomUUID().replaceAll("-", "")}`;
  await administer(url, `create database ${name} template ${template}`);
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
      await administer(url, `drop database ${name} with (force)`);
    },
  };
}
