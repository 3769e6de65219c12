import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
// biome-ignore lint/style/noRestrictedImports: used by tests only, which ask the bare server
import pg from "pg";
import { afterAll, onTestFinished } from "vitest";
import { sendSignal, waitUntil } from "../server/running-server.ts";
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "../start-embedded-postgres.ts";

let stoppedDatabase: Promise<string> | undefined;
afterAll(async () => {
  if (stoppedDatabase !== undefined) rmSync(await stoppedDatabase, { recursive: true });
});

/** A data folder with a stopped, empty database: a copy costs a third of making one. */
export async function newDataFolder(): Promise<string> {
  stoppedDatabase ??= makeStoppedDatabase();
  const folder = newFolder();
  cpSync(await stoppedDatabase, folder, { recursive: true });
  return folder;
}

async function makeStoppedDatabase(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), "ep-"));
  chmodSync(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, forTests: true });
  await server.stop();
  return dataDir;
}

/** A folder of the test's own that the database's user can reach; removed at the end. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ep-"));
  chmodSync(folder, 0o711);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Starts the database in this process; stopped when the test ends. */
export async function start(
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir,
    log: () => {},
    forTests: true,
    ...options,
  });
  onTestFinished(() => server.stop());
  return server;
}

/** Runs one statement on a connection of its own. */
export async function query(
  server: { connectionString: string },
  sql: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.connectionString });
  client.on("error", () => {}); // the query's own rejection tells
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** What a process that runs `startEmbeddedPostgres` said first. */
export interface Launcher {
  child: ChildProcess;
  /** `ready` with the server, or the error that it got. */
  said: { connectionString: string; processId: number; error: string };
}

/** Starts the database in a process of its own, which then waits, or runs `afterwards`. */
export async function startInProcess(
  dataDir: string,
  afterwards = "setInterval(() => {}, 1000)",
): Promise<Launcher> {
  const child = spawnLauncher(dataDir, afterwards);
  if (child.stdout === null) throw new Error("no output");
  const [line] = await once(createInterface(child.stdout), "line");
  const said = JSON.parse(String(line));
  onTestFinished(async () => {
    if (typeof said.processId !== "number") return;
    sendSignal(said.processId, "SIGQUIT");
    await waitUntil(() => !isRunning(said.processId), 2000);
  });
  return { child, said };
}

/** Spawns such a process without waiting for its word; killed when the test ends. */
export function spawnLauncher(dataDir: string, afterwards = ""): ChildProcess {
  const module = JSON.stringify(new URL("../index.ts", import.meta.url).href);
  const program = `
    const { startEmbeddedPostgres } = await import(${module});
    try {
      const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log() {} });
      console.log(JSON.stringify({ connectionString: server.connectionString, processId: server.processId }));
      ${afterwards}
    } catch (error) {
      console.log(JSON.stringify({ error: error.name + ": " + error.message }));
    }`;
  const child = spawn(
    process.execPath,
    ["--conditions=jackfield-source", "--input-type=module", "-e", program],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  child.stderr.pipe(process.stderr);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

/** Ends a process as a crash would and waits until it is gone. */
export async function killHard(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Whether a process runs; one whose parent has not read its end is a zombie, not running. */
export function isRunning(processId: number): boolean {
  if (!sendSignal(processId, 0)) return false;
  if (process.platform !== "linux") return true;
  return !/\) Z /.test(readFileSync(`/proc/${processId}/stat`, "utf8"));
}
