import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import {
  type Database,
  migrate,
  openDatabase,
  Replica,
  ReplicaSet,
} from "../../packages/server/src/foundation/db/index.ts";
import type { EnvironmentId } from "../../packages/server/src/foundation/index.ts";
import { createLogger } from "../../packages/server/src/foundation/logger/index.ts";
import { findPrograms, type Standby, startStandby } from "./standby.ts";

// Promise U8 after a failover: positions of a timeline that the primary has left say nothing.

const programs = findPrograms();

interface Trio extends AsyncDisposable {
  readonly servers: Standby;
  readonly second: Replica;
  open(connectionString: string): Database;
  /** A process that reads from the second standby, and takes this server for the primary. */
  startProcess(primaryUrl: string): Process;
}

interface Process {
  readonly db: Database["db"];
  readonly set: ReplicaSet;
  countStale(): Promise<number>;
}

/** A user who may read and write the tables, and nothing more. */
const ROLE = "plain_user";

async function startTrio(): Promise<Trio> {
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await startStandby(programs ?? ""));
  await migrate(servers.primaryUrl);
  await servers.query(
    "primary",
    `create table pairs (key int primary key, n int not null);
     create role ${ROLE} login;
     grant select, insert, update, delete on all tables in schema public to ${ROLE}`,
  );
  const secondUrl = await servers.addSecond();
  const running = resources.move();
  const open = (connectionString: string): Database => {
    const url = new URL(connectionString);
    url.username = ROLE;
    const options = { maxConnections: 5, pooled: false, onError: () => {} };
    return running.use(openDatabase({ connectionString: url.href, ...options }));
  };
  const second = new Replica("second", open(secondUrl));
  return {
    ...{ servers, second, open },
    startProcess(primaryUrl) {
      const { db } = open(primaryUrl);
      const set = running.use(
        new ReplicaSet({ primary: db, replicas: [second], log: createLogger("error") }),
      );
      const reading = { db, environment: { id: asEnvironmentId("") } };
      const countStale = async () => {
        let stale = 0;
        for (let n = 1; n <= 50; n += 1) {
          await sql`
            insert into pairs values (1, ${n}) on conflict (key) do update set n = excluded.n`.execute(
            db,
          );
          const { rows } = await set.read(
            reading,
            async (db) => await sql<{ n: number }>`select n from pairs where key = 1`.execute(db),
          );
          if (rows[0]?.n !== n) stale += 1;
        }
        return stale;
      };
      return { db, set, countStale };
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

describe.skipIf(programs === undefined)(
  "replicas after a failover (skipped where PostgreSQL's programs are not in /usr/lib/postgresql)",
  { timeout: 240_000 },
  () => {
    test("a standby that was ahead of the one that was promoted is left out, and nothing is stale", async () => {
      await using trio = await startTrio();
      const { servers, second } = trio;
      const before = trio.startProcess(servers.primaryUrl);
      await expect.poll(async () => await stateAfterLook(before, second)).toBe("used");
      expect(await before.countStale()).toBe(0);

      await servers.stopStandby();
      await servers.query(
        "primary",
        "insert into pairs select n, n from generate_series(100, 100000) n",
      );
      const [written] = (await servers.query("primary", "select pg_current_wal_lsn() as lsn")).rows;
      const hasReplayed = `select pg_last_wal_replay_lsn() >= '${written.lsn}' as has`;
      await expect
        .poll(async () => (await servers.query("second", hasReplayed)).rows, { timeout: 60_000 })
        .toEqual([{ has: true }]);
      await servers.stopPrimary();
      await servers.startStandby();
      await servers.query("standby", "select pg_promote()");
      const after = trio.startProcess(servers.standbyUrl);
      const stale = await after.countStale();
      await after.set.look();

      expect(stale).toBe(0);
      expect(second.state).toBe("diverged");
      expect(after.set.readings.replica).toBe(0);
      // Its position alone would say that it has everything.
      const [now] = (await servers.query("standby", "select pg_current_wal_lsn() as lsn")).rows;
      const isAhead = `select pg_last_wal_replay_lsn() > '${now.lsn}' as is`;
      expect((await servers.query("second", isAhead)).rows).toEqual([{ is: true }]);
    });

    test("a standby that follows the one that was promoted is read from at once", async () => {
      await using trio = await startTrio();
      const { servers, second } = trio;
      const before = trio.startProcess(servers.primaryUrl);
      await expect.poll(async () => await stateAfterLook(before, second)).toBe("used");

      await servers.stopPrimary();
      await servers.query("standby", "select pg_promote()");
      await servers.redirectSecond();
      const after = trio.startProcess(servers.standbyUrl);
      await after.countStale();
      await expect
        .poll(async () => await stateAfterLook(after, second), { timeout: 60_000 })
        .toBe("used");
      const stale = await after.countStale();

      expect(stale).toBe(0);
      expect(after.set.readings.replica).toBeGreaterThan(10);
    });
  },
);

async function stateAfterLook({ set }: Process, replica: Replica): Promise<string> {
  await set.look();
  return replica.state;
}

// Any will do: it only says whose turn a connection is.
function asEnvironmentId(id: string): EnvironmentId {
  return id as EnvironmentId;
}
