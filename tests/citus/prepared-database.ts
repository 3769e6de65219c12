import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Db } from "../../packages/server/src/foundation/db/index.ts";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/test-database.ts";

/** A migrated database that `deploy/citus/prepare.sql` has made ready, as the operator of a cluster does. */
export async function openPrepared(): Promise<
  AsyncDisposable & { readonly client: pg.Client; readonly db: Db }
> {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query(await readDeployed("prepare.sql"));
  return {
    client,
    db: database.db,
    async [Symbol.asyncDispose]() {
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A file of `deploy/citus/`. */
export async function readDeployed(name: string): Promise<string> {
  return await readFile(join(import.meta.dirname, "../../deploy/citus", name), "utf8");
}
