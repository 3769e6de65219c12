import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { migrate } from "./migrate.ts";

const migrationsFolder = new URL("../../../../migrations/", import.meta.url);

/**
 * A fresh, migrated database on a server that is used for nothing else: a clone of a template, which is made at
 * first need and again when the migrations change. What earlier ones left behind is dropped.
 */
export async function createThrowAwayDatabase(serverUrl: string): Promise<string> {
  const template = `template_${await hashMigrations()}`;
  const name = `throw_away_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>("select datname from pg_database");
    const known = rows.map(({ datname }) => datname);
    for (const old of known.filter((database) => /^(throw_away|making)_/.test(database))) {
      await client.query(`drop database if exists ${old} with (force)`);
    }
    if (!known.includes(template)) await makeTemplate(client, serverUrl, template);
    await client.query(`create database ${name} template ${template}`);
  } finally {
    await client.end();
  }
  return withDatabase(serverUrl, name);
}

/** Under another name until it is whole. */
async function makeTemplate(client: pg.Client, serverUrl: string, template: string): Promise<void> {
  const making = `making_${template}`;
  await client.query(`create database ${making}`);
  await migrate(withDatabase(serverUrl, making));
  await client.query(`alter database ${making} rename to ${template}`);
}

async function hashMigrations(): Promise<string> {
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).sort();
  const hash = createHash("sha256");
  for (const name of files) hash.update(await readFile(new URL(name, migrationsFolder)));
  return hash.digest("hex").slice(0, 16);
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
