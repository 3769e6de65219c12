import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRoot } from "./cluster/database-owner.ts";
import { sendSignal, waitUntil } from "./server/running-server.ts";
import {
  isRunning,
  killHard,
  newDataFolder,
  newFolder,
  query,
  spawnLauncher,
  start,
  startInProcess,
} from "./testing/test-folder.ts";

test("the first start makes a database whose rows a second start finds", async () => {
  const dataDir = join(newFolder(), "data");
  const first = await start(dataDir);
  await query(first, "create table kept as select 42 as answer");
  await first.stop();

  const second = await start(dataDir);

  expect(second.attached).toBe(false);
  expect(second.dataDirectory).toBe(join(dataDir, "postgres"));
  expect(await query(second, "select answer from kept")).toEqual([{ answer: 42 }]);
  if (!isRoot()) return;
  expect(statSync(second.dataDirectory).uid).toBe(65534);
  expect(statSync(`/proc/${second.processId}`).uid).toBe(65534);
});

test("the database speaks UTF8 with builtin C.UTF-8, asks for its password and has no port", async () => {
  const dataDir = await newDataFolder();

  const server = await start(dataDir);

  const [settings] = await query(
    server,
    `select datlocprovider, datlocale, pg_encoding_to_char(encoding) as encoding,
      current_setting('listen_addresses') as addresses, upper('ä') as upper
      from pg_database where datname = 'postgres'`,
  );
  expect(settings).toEqual({
    datlocprovider: "b",
    datlocale: "C.UTF-8",
    encoding: "UTF8",
    addresses: "",
    upper: "Ä",
  });
  const wrong = server.connectionString.replace(/:[^:@]+@/, ":wrong@");
  await expect(query({ connectionString: wrong }, "select 1")).rejects.toThrow(/password/);
  expect(statSync(join(dataDir, "postgres-password")).mode & 0o777).toBe(0o600);
  expect(statSync(join(dataDir, "postgres-socket")).mode & 0o777).toBe(0o700);
});

test("a start attaches to the server of a killed process and finds its rows", async () => {
  const dataDir = await newDataFolder();
  const { child, said } = await startInProcess(dataDir);
  await query(said, "create table kept as select 1 as answer");
  await killHard(child);

  const server = await start(dataDir);

  expect(server.attached).toBe(true);
  expect(server.processId).toBe(said.processId);
  expect(await query(server, "select answer from kept")).toEqual([{ answer: 1 }]);
  await server.stop();
  expect(await waitUntil(() => !isRunning(said.processId), 2000)).toBe(true);
});

test("a start recovers when process and server were killed during a long statement", async () => {
  const dataDir = await newDataFolder();
  const { child, said } = await startInProcess(dataDir);
  await query(said, "create table kept as select 1 as answer");
  const busy = query(said, "create table lost as select g from generate_series(1, 1e9) g");
  const lost = expect(busy).rejects.toThrow();
  const isBusy = "select 1 from pg_stat_activity where state = 'active' and query like '%1e9%'";
  await expect.poll(async () => await query(said, isBusy), { interval: 5 }).toHaveLength(2);
  await killHard(child);
  sendSignal(said.processId, "SIGKILL");
  expect(await waitUntil(() => !isRunning(said.processId), 2000)).toBe(true);

  const server = await start(dataDir);

  await lost;
  expect(server.attached).toBe(false);
  expect(await query(server, "select answer from kept")).toEqual([{ answer: 1 }]);
});

test("a second process learns at once who uses the folder, and the first continues", async () => {
  const dataDir = await newDataFolder();
  const first = await start(dataDir);
  const startedAt = performance.now();

  const second = start(dataDir);

  await expect(second).rejects.toThrow(
    `The data folder ${dataDir} is in use by process ${process.pid}: `,
  );
  await expect(second).rejects.toMatchObject({ name: "DataFolderInUseError" });
  expect(performance.now() - startedAt).toBeLessThan(1000);
  expect(await query(first, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("of five processes that start at once exactly one gets the folder", async () => {
  const dataDir = newFolder();

  const launchers = await Promise.all(Array.from({ length: 5 }, () => startInProcess(dataDir)));

  const winners = launchers.filter(({ said }) => said.error === undefined);
  const refusals = launchers.filter(({ said }) => said.error?.startsWith("DataFolderInUseError"));
  expect(winners).toHaveLength(1);
  expect(refusals).toHaveLength(4);
  const holder = winners[0]?.child.pid;
  expect(refusals.every(({ said }) => said.error.includes(`process ${holder}:`))).toBe(true);
});

test("a first start that was killed half-way does not spoil the folder", async () => {
  const dataDir = newFolder();
  const child = spawnLauncher(dataDir);
  const unfinished = (): string[] =>
    readdirSync(dataDir).filter((name) => name.startsWith("postgres-new-"));
  const isInside = (): boolean =>
    unfinished().some((name) => existsSync(join(dataDir, name, "data", "base")));
  expect(await waitUntil(isInside, 5000)).toBe(true);
  await killHard(child);
  expect(existsSync(join(dataDir, "postgres"))).toBe(false);

  const server = await start(dataDir);

  expect(await query(server, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("a process that ends without stopping takes its server with it", async () => {
  const { said } = await startInProcess(await newDataFolder(), "process.exit(3)");

  expect(await waitUntil(() => !isRunning(said.processId), 5000)).toBe(true);
});

test("a server that is to keep running is attached to by the next start", async () => {
  const dataDir = await newDataFolder();
  const first = await start(dataDir, { keepRunning: true });
  await first.stop();

  const second = await start(dataDir);

  expect(second.attached).toBe(true);
  expect(second.processId).toBe(first.processId);
});

test("a pid file whose id now belongs to another process does not stop the start", async () => {
  const dataDir = await newDataFolder();
  const first = await start(dataDir);
  const file = join(first.dataDirectory, "postmaster.pid");
  const stale = readFileSync(file, "utf8").replace(/^\d+/, String(process.pid));
  await first.stop();
  writeFileSync(file, stale);

  const second = await start(dataDir);

  expect(second.attached).toBe(false);
  expect(await query(second, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("a path too long for a socket gets a short temporary one, removed by stop", async () => {
  const dataDir = join(newFolder(), "long".repeat(30));

  const server = await start(dataDir);

  const socketFolder = new URL(server.connectionString).searchParams.get("host") ?? "";
  expect(socketFolder).toContain("jackfield-postgres-");
  expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
  expect(await query(server, "select 1 as alive")).toEqual([{ alive: 1 }]);
  await server.stop();
  expect(existsSync(socketFolder)).toBe(false);
});

test("a path with blanks, quotes, commas and percent signs works", async () => {
  const dataDir = join(newFolder(), `a b, "c" 100% 'd' ü`);
  await (await start(dataDir)).stop();

  const server = await start(dataDir);

  expect(await query(server, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("a database of another major version is refused with both versions named", async () => {
  const dataDir = await newDataFolder();
  writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "17\n");

  const refused = start(dataDir);

  await expect(refused).rejects.toThrow(/made by PostgreSQL 17, but .* brings PostgreSQL 18: /);
});

test("a database without its password file is refused, not replaced", async () => {
  const dataDir = await newDataFolder();
  writeFileSync(join(dataDir, "postgres-password"), "");

  await expect(start(dataDir)).rejects.toThrow(/password file .* is missing or empty/);
});
