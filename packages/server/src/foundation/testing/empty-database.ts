import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { administer, withDatabase } from "./administer.ts";

/** A database without any table, dropped when it is disposed. */
export async function createEmptyDatabase(): Promise<
  AsyncDisposable & { readonly connectionString: string }
> {
  const { url } = inject("databaseServer");
  const name = `jackfield_test_${randomUUID().replaceAll("-", "")}`;
  await administer(url, `create database ${name}`);
  return {
    connectionString: withDatabase(url, name),
    [Symbol.asyncDispose]: async () => await administer(url, `drop database ${name} with (force)`),
  };
}
