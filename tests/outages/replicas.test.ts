import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { flushLogs, recordOperation } from "../../packages/server/src/logs/index.ts";
import { readTotals } from "../../packages/server/src/logs/metrics/read-metrics.ts";
import { listOperations } from "../../packages/server/src/logs/reading/list-operations.ts";
import {
  type Database,
  migrate,
  openDatabase,
  Replica,
  ReplicaSet,
  readReplica,
  replicas,
  withTransaction,
} from "../../packages/server/src/platform/db/index.ts";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  type EnvironmentId,
  ServerStates,
} from "../../packages/server/src/platform/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/platform/testing/index.ts";
import { listRecords } from "../../packages/server/src/records/reading/list-records.ts";
import { listInbox } from "../../packages/server/src/webhooks-in/inbox/list-inbox.ts";
import { listDeliveries } from "../../packages/server/src/webhooks-out/deliveries/list-deliveries.ts";
import { findPrograms, type Standby, startStandby } from "./standby.ts";

const programs = findPrograms();

/** A process of the server: its own pools, its own view of the replicas. */
interface Process {
  readonly ctx: EnvironmentContext;
  readonly set: ReplicaSet;
}

describe.skipIf(programs === undefined)(
  "replicas (skipped where PostgreSQL's programs are not in /usr/lib/postgresql)",
  { timeout: 240_000 },
  () => {
    const resources = new AsyncDisposableStack();
    let app: TestContext;
    let pair: Standby;
    let environment: EnvironmentContext["environment"];
    let [one, other]: Process[] = [];

    beforeAll(async () => {
      app = resources.use(await createTestContext());
      pair = resources.use(await startStandby(programs ?? ""));
      await migrate(pair.primaryUrl);
      await pair.query("primary", "create table pairs (key int primary key, n int not null)");
      const [account, id] = [randomUUID(), randomUUID()];
      await pair.query(
        "primary",
        `insert into accounts (id, name, created_at) values ('${account}', 'test', now());
         insert into environments (id, account_id, name, created_at) values ('${id}', '${account}', 'test', now())`,
      );
      environment = { id: asEnvironmentId(id), name: "test", accountId: account };
      one = startProcess();
      other = startProcess();
    }, 240_000);
    afterAll(async () => await resources.disposeAsync());
    beforeEach(async () => {
      for (const { set } of processes()) {
        await expect
          .poll(
            async () => {
              await set.look();
              return set.leftOut;
            },
            { timeout: 60_000 },
          )
          .toEqual([]);
      }
    });

    const processes = (): Process[] => [one, other].filter((each) => each !== undefined);

    function open(connectionString: string): Database {
      const options = { connectionString, maxConnections: 10, pooled: false, onError: () => {} };
      return resources.use(openDatabase(options));
    }

    function startProcess(): Process {
      const { db } = open(pair.primaryUrl);
      const state = resources.use(new ServerStates());
      const replica = new Replica("standby", open(pair.standbyUrl));
      const set = resources.use(
        new ReplicaSet({ primary: db, replicas: [replica], log: app.ctx.log }),
      );
      const ctx = { ...app.ctx, db, state, environment };
      replicas.set(ctx, set);
      return { ctx, set };
    }

    /** Writes a key in one process, and reads it in the same or the other one; resolves to how many were stale. */
    async function countStale(count: number, key: number): Promise<number> {
      let stale = 0;
      for (let n = 1; n <= count; n += 1) {
        const [writer, reader] = n % 2 === 0 ? [one, other] : [one, one];
        if (writer === undefined || reader === undefined) throw new Error("not started");
        await sql`
          insert into pairs values (${key}, ${n}) on conflict (key) do update set n = excluded.n`.execute(
          writer.ctx.db,
        );
        const read = await readReplica(reader.ctx, async (db) => {
          const { rows } = await sql<{ n: number }>`select n from pairs where key = ${key}`.execute(
            db,
          );
          return rows[0]?.n;
        });
        if (read !== n) stale += 1;
      }
      return stale;
    }

    test("10,000 times a write is followed by a reading of it, in any process: none is stale", async () => {
      const before = sumOf(processes());

      const stale = await Promise.all(
        Array.from({ length: 10 }, async (_, key) => await countStale(1000, key)),
      );

      const after = sumOf(processes());
      process.stdout.write(`\nreplicas: ${JSON.stringify({ before, after })}\n`);
      expect(stale).toEqual(Array.from({ length: 10 }, () => 0));
      // Not all by the primary.
      expect(after.replica - before.replica).toBeGreaterThan(1000);
    });

    test("a replica that is behind is left out until it has caught up, and nothing is stale meanwhile", async () => {
      await pair.query("standby", "select pg_wal_replay_pause()");
      const before = sumOf(processes());

      const stale = await countStale(20, 100);
      const leftOut = processes().map(({ set }) => set.leftOut);
      await pair.query("standby", "select pg_wal_replay_resume()");

      expect(stale).toBe(0);
      expect(leftOut).toEqual([["standby"], ["standby"]]);
      expect(sumOf(processes()).replica).toBe(before.replica);
    });

    test("a replica that is away is left out, and read from again when it is back", async () => {
      await pair.stopStandby();
      const stale = await countStale(20, 101);
      const leftOut = one?.set.leftOut;
      await pair.startStandby();
      await expect.poll(() => one?.set.leftOut, { timeout: 60_000 }).toEqual([]);
      const before = sumOf(processes());
      const later = await countStale(100, 102);

      expect([stale, later]).toEqual([0, 0]);
      expect(leftOut).toEqual(["standby"]);
      expect(sumOf(processes()).replica).toBeGreaterThan(before.replica);
    });

    test("a database that is no standby of the primary is never read from", async () => {
      const { db } = open(pair.primaryUrl);
      const strangers = [
        new Replica("primary", open(pair.primaryUrl)),
        new Replica("another installation", open(app.database.connectionString)),
      ];
      await using set = new ReplicaSet({ primary: db, replicas: strangers, log: app.ctx.log });

      await set.look();

      expect(strangers.map(({ state }) => state)).toEqual(["other", "other"]);
    });

    test("records, logs, metrics, deliveries and the inbox are read there; a transaction is not", async () => {
      const ctx = one?.ctx;
      const set = one?.set;
      if (ctx === undefined || set === undefined) throw new Error("not started");
      recordOperation(ctx, {
        ...{ type: "admin", action: "change", message: "seen", state: "success" },
        startedAt: ctx.clock.now(),
      });
      await flushLogs(ctx);
      const page = { limit: 10, cursor: undefined };
      const listing = {
        ...{ connection: asConnection(randomUUID()), model: "Row", filter: undefined },
        ...{ ids: undefined, maxBytes: undefined, modifiedAfter: undefined, ...page },
      };
      const period = { from: undefined, to: undefined };
      const readings: Record<string, () => Promise<unknown>> = {
        records: async () => await listRecords(ctx, listing).next(),
        operations: async () =>
          await listOperations(ctx, { filter: {}, search: undefined, ...period, ...page }),
        search: async () =>
          await listOperations(ctx, { filter: {}, search: "seen", ...period, ...page }),
        metrics: async () => await readTotals(ctx, { limit: 10 }),
        deliveries: async () => await listDeliveries(ctx, { filter: {}, ...page }),
        inbox: async () =>
          await listInbox(ctx, { integrationKey: undefined, state: undefined, ...period, ...page }),
      };

      const elsewhere: string[] = [];
      for (const [name, read] of Object.entries(readings)) {
        const before = set.readings;
        await read();
        const { primary, replica } = set.readings;
        if (primary > before.primary || replica === before.replica) elsewhere.push(name);
      }
      const before = set.readings;
      await withTransaction(
        ctx,
        async (inside) => await readReplica(inside, async () => undefined),
      );

      expect(elsewhere).toEqual([]);
      expect(set.readings).toEqual(before);
      const { operations } = await listOperations(ctx, {
        ...{ filter: {}, search: "seen", ...period, ...page },
      });
      expect(operations).toMatchObject([{ message: "seen" }]);
    });
  },
);

function sumOf(processes: readonly Process[]): ReplicaSet["readings"] {
  const all = processes.map(({ set }) => set.readings);
  return {
    primary: all.reduce((sum, { primary }) => sum + primary, 0),
    replica: all.reduce((sum, { replica }) => sum + replica, 0),
  };
}

// Made by the test itself.
function asEnvironmentId(id: string): EnvironmentId {
  return id as EnvironmentId;
}

// Made by the test itself.
function asConnection(id: string): ConnectionUuid {
  return id as ConnectionUuid;
}
