import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "../packages/server/src/foundation/db/migrations/migrate.ts";
import { startEmbeddedPostgres } from "../packages/server/src/foundation/embedded-postgres/index.ts";
import { administer, withDatabase } from "../packages/server/src/foundation/testing/administer.ts";
import { temporaryRoot } from "../packages/server/src/foundation/testing/temporary-root.ts";

/** Starts the database server of a test run and migrates the templates that test files clone. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // biome-ignore lint/style/noProcessEnv: the server of the operator's choice, and how its databases are made, for tests only
  const { TEST_DATABASE_URL: external, TEST_DATABASE_MAKE: make } = process.env;
  const server =
    external === undefined ? await startOwnServer(project) : { url: external, stop: nothing };
  const template = `jackfield_template_${randomUUID().replaceAll("-", "")}`;
  await administer(server.url, `create database ${template}`);
  await migrate(withDatabase(server.url, template));
  const preparedTemplate = `${template}_p`;
  await administer(server.url, `create database ${preparedTemplate} template ${template}`);
  await prepare(withDatabase(server.url, preparedTemplate));
  const serverTemplate = `${template}_s`;
  await administer(server.url, `create database ${serverTemplate} template ${template}`);
  await makeDays(withDatabase(server.url, serverTemplate));
  project.provide("databaseServer", {
    ...{ url: server.url, template, preparedTemplate, serverTemplate },
    ...{ isOwn: external === undefined, make },
  });
  return async () => {
    for (const name of [template, preparedTemplate, serverTemplate]) {
      await administer(server.url, `drop database ${name} with (force)`);
    }
    await server.stop();
  };
}

/** As the operator of a cluster does; what follows is Citus' own. */
async function prepare(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(
      await readFile(join(import.meta.dirname, "../deploy/citus/prepare.sql"), "utf8"),
    );
  } finally {
    await client.end();
  }
}

/** As a server does at its start. Apart, where imports of the server's packages are found. */
async function makeDays(connectionString: string): Promise<void> {
  const script = join(import.meta.dirname, "make-days.ts");
  const args = ["--conditions=jackfield-source", script, connectionString];
  await promisify(execFile)(process.execPath, args);
}

async function startOwnServer(
  project: TestProject,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(temporaryRoot(), "jackfield-test-"));
  const { folder } = project.getProvidedContext().testRun;
  await symlink(join(dataDir, "postgres.log"), join(folder, "left", "postgres.log"));
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, forTests: true });
  return {
    url: server.connectionString,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function nothing(): Promise<void> {}
