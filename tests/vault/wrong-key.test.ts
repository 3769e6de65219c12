import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { StartFailure, startPlatformProcess } from "../launcher/platform-process.ts";

const newKey = () => randomBytes(32).toString("base64");

/** All that the database holds, as one text for each table. */
async function takeFingerprint(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const tables = await client.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'graphile_worker') order by name`);
  const prints: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ print: string }>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as print from ${name} t`,
    );
    prints.push(`${name} ${rows[0]?.print}`);
  }
  await client.end();
  return prints;
}

test("without the right key the start ends with one clear line, and nothing is written", async () => {
  await using database = await createServerDatabase();
  await using first = await makeDataFolder();
  await using empty = await makeDataFolder();
  await rm(join(empty.path, "cache"), { recursive: true });
  const [right, other] = [newKey(), newKey()];
  const env = { SVC_DATABASE_URL: database.connectionString };
  const platform = await startPlatformProcess({
    dataDir: first.path,
    env: { ...env, SVC_ENCRYPTION_KEY: right },
  });
  await platform.stop();
  const before = await takeFingerprint(database.connectionString);

  const starts: [Record<string, string>, RegExp][] = [
    [{}, /its key is neither in .+encryption\.key nor in SVC_ENCRYPTION_KEY/],
    [{ SVC_ENCRYPTION_KEY: other.slice(0, 20) }, /SVC_ENCRYPTION_KEY is not 32 bytes in base64/],
    [{ SVC_ENCRYPTION_KEY: other }, /the encryption key does not open this database/],
    [
      { SVC_ENCRYPTION_KEY: right, SVC_ENCRYPTION_KEY_PREVIOUS: `${other},short` },
      /SVC_ENCRYPTION_KEY_PREVIOUS has an item that is not 32 bytes in base64/,
    ],
  ];
  for (const [keys, line] of starts) {
    const start = startPlatformProcess({ dataDir: empty.path, env: { ...env, ...keys } });
    const failure = await start.catch((error: unknown) => error);
    if (!(failure instanceof StartFailure)) throw new Error("the server started", { cause: keys });
    expect(failure.exitCode).toBe(1);
    expect(failure.output.trim()).toMatch(line);
    expect(failure.output.trim().split("\n")).toHaveLength(1);
    for (const key of Object.values(keys)) expect(failure.output).not.toContain(key);
  }

  expect(await takeFingerprint(database.connectionString)).toEqual(before);
  expect(await readdir(empty.path)).toEqual([]);
  const again = await startPlatformProcess({
    dataDir: empty.path,
    env: { ...env, SVC_ENCRYPTION_KEY: other, SVC_ENCRYPTION_KEY_PREVIOUS: right },
  });
  expect(await again.stop()).toBe(0);
  expect(await readdir(join(empty.path))).not.toContain("encryption.key");
}, 90_000);
