import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { prepareBinaries } from "../binaries.ts";
import { locateCluster } from "../cluster/cluster-location.ts";
import { giveTo } from "../cluster/database-owner.ts";
import { newDataFolder, query } from "../testing/test-folder.ts";
import { type LaunchInput, launchServer, waitUntilReady } from "./launch-server.ts";
import { stopServer } from "./running-server.ts";
import { findFreePort, type ServerAddress, toConnectionString } from "./server-address.ts";

test("a server that can make no socket listens on a port of 127.0.0.1", async () => {
  const input = await newCluster();
  const tooLong = join(input.location.home, "long".repeat(30));
  mkdirSync(tooLong);
  giveTo(input.location.owner, tooLong);
  async function* addresses(): AsyncGenerator<ServerAddress> {
    yield { kind: "socket", folder: tooLong };
    yield { kind: "tcp", port: await findFreePort() };
  }

  const server = await launchServer(input, addresses());

  onTestFinished(() => stopServer(server));
  const password = readFileSync(join(input.location.home, "postgres-password"), "utf8").trim();
  const connectionString = toConnectionString(server.address, password);
  expect(connectionString).toMatch(/@127\.0\.0\.1:\d+\/postgres$/);
  expect(await query({ connectionString }, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("a server that does not start is reported with the end of its log", async () => {
  const input = await newCluster();
  writeFileSync(join(input.location.cluster, "postgresql.auto.conf"), "no_such_setting = 1\n");

  await expect(launchServer(input)).rejects.toThrow(/did not start.*no_such_setting/s);
});

test("a machine too busy for the start is reported as such, with the end of the log", async () => {
  const { location } = await newCluster();
  const logFile = join(location.home, "busy.log");
  writeFileSync(logFile, "starting PostgreSQL\n");
  // Alive, and without a word of being ready: a server that gets no turn on this machine.
  const stuck = { processId: process.pid, isAlive: () => true };

  const waiting = waitUntilReady(stuck, location.cluster, logFile, { withinMs: 20 });

  await expect(waiting).rejects.toThrow(
    /not ready after 0\.02 s\. This machine may be too busy.*stop other work and try again.*starting PostgreSQL/s,
  );
});

async function newCluster(): Promise<LaunchInput> {
  const dataDir = await newDataFolder();
  const location = locateCluster(dataDir);
  const binaries = prepareBinaries(location.owner, dataDir);
  return { location, binaries, logFile: join(dataDir, "postgres.log"), forTests: true };
}
