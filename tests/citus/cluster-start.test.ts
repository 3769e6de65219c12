import { expect, test } from "vitest";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { StartFailure, startPlatformProcess } from "../launcher/platform-process.ts";
import { readDeployed } from "./prepared-database.ts";

// A server recognizes a cluster by the catalogue of Citus, in whose place a row and a table stand here.

test("a server with replicas does not start on a cluster, and says why", async () => {
  await using database = await createTestDatabase();
  await database.pool.query(await readDeployed("prepare.sql"));
  await database.pool.query(`
    set allow_system_table_mods = on;
    insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
      select 99999, 'citus', extowner, extnamespace, false, '13.0-1' from pg_extension limit 1;
    create table pg_dist_partition (logicalrelid regclass);
    insert into pg_dist_partition values ('two_phase_guard')`);
  await using stack = new AsyncDisposableStack();

  const starting = startPlatformProcess({
    dataDir: stack.use(await makeDataFolder()).path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_DATABASE_REPLICA_URLS: "postgres://127.0.0.1:1/replica",
    },
  });

  const failure = await starting.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartFailure);
  expect(failure).toMatchObject({
    output: expect.stringContaining("Start the server without SVC_DATABASE_REPLICA_URLS"),
  });
});
