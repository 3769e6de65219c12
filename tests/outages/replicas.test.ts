import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  Replica,
  ReplicaSet,
  readReplica,
  withTransaction,
} from "../../packages/server/src/foundation/db/index.ts";
import type { ConnectionUuid } from "../../packages/server/src/foundation/index.ts";
import { flushLogs, recordOperation } from "../../packages/server/src/logs/index.ts";
import { readTotals } from "../../packages/server/src/logs/metrics/read-metrics.ts";
import { listOperations } from "../../packages/server/src/logs/reading/list-operations.ts";
import { listRecords } from "../../packages/server/src/records/reading/list-records.ts";
import { listInbox } from "../../packages/server/src/webhooks-in/inbox/list-inbox.ts";
import { listDeliveries } from "../../packages/server/src/webhooks-out/deliveries/list-deliveries.ts";
import { createOutcomeWriter } from "../../packages/server/src/webhooks-out/sending/outcome-writer.ts";
import type { DeliveryOutcome } from "../../packages/server/src/webhooks-out/sending/store.ts";
import { type ReplicaPair, startReplicaPair } from "./replica-pair.ts";
import { findPrograms } from "./standby.ts";

const programs = findPrograms();

describe.skipIf(programs === undefined)(
  "replicas (skipped where PostgreSQL's programs are not in /usr/lib/postgresql)",
  { timeout: 240_000 },
  () => {
    let pair: ReplicaPair;
    beforeAll(async () => {
      pair = await startReplicaPair(programs ?? "");
    }, 240_000);
    afterAll(async () => await pair[Symbol.asyncDispose]());
    beforeEach(async () => {
      for (const { set } of [pair.one, pair.other]) {
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

    test("1,500 times a write is followed by a reading of it, in any process: none is stale", async () => {
      const before = pair.readings;

      const stale = await Promise.all(
        Array.from({ length: 10 }, async (_, key) => await pair.countStale(150, key)),
      );

      expect(stale).toEqual(Array.from({ length: 10 }, () => 0));
      // Not all by the primary.
      expect(pair.readings.replica - before.replica).toBeGreaterThan(150);
    });

    test("a replica that is behind is left out until it has caught up, and nothing is stale meanwhile", async () => {
      await pair.standby.query("standby", "select pg_wal_replay_pause()");
      const before = pair.readings;

      const stale = await pair.countStale(20, 100);
      const leftOut = [pair.one, pair.other].map(({ set }) => set.leftOut);
      await pair.standby.query("standby", "select pg_wal_replay_resume()");

      expect(stale).toBe(0);
      expect(leftOut).toEqual([["standby"], ["standby"]]);
      expect(pair.readings.replica).toBe(before.replica);
    });

    test("a replica that is away is left out, and read from again when it is back", async () => {
      await pair.standby.stopStandby();
      const stale = await pair.countStale(20, 101);
      const leftOut = pair.one.set.leftOut;
      await pair.standby.startStandby();
      await expect.poll(() => pair.one.set.leftOut, { timeout: 60_000 }).toEqual([]);
      const before = pair.readings;
      const later = await pair.countStale(100, 102);

      expect([stale, later]).toEqual([0, 0]);
      expect(leftOut).toEqual(["standby"]);
      expect(pair.readings.replica).toBeGreaterThan(before.replica);
    });

    test("an outcome of a delivery is on the primary's disk when it is stored, so that positions cover it", async () => {
      const { ctx } = pair.one;
      const [environmentId, id, receiverId] = [ctx.environment.id, randomUUID(), randomUUID()];
      const createdAt = ctx.clock.now();
      await sql`
        insert into webhook_receivers (id, environment_id, url)
        values (${receiverId}, ${environmentId}, 'http://127.0.0.1:1/')`.execute(ctx.db);
      await sql`
        insert into webhook_deliveries (id, environment_id, receiver_id, url, type, body, headers, state, fence, created_at, next_attempt_at)
        values (${id}, ${environmentId}, ${receiverId}, 'http://127.0.0.1:1/', 'sync', '', '', 'waiting', 1, ${createdAt}, ${createdAt})`.execute(
        ctx.db,
      );
      await pair.standby.query(
        "primary",
        `create table commits (waits text);
         create function note_commit() returns trigger language plpgsql as $$
         begin insert into commits values (current_setting('synchronous_commit')); return null; end $$;
         create trigger note after update on webhook_deliveries for each statement execute function note_commit()`,
      );
      const outcome: DeliveryOutcome = {
        ...{ id, createdAt, environmentId, receiverId, fence: 1, attempts: 1, state: "delivered" },
        ...{ nextAttemptAt: null, status: 200, error: null, endedAt: createdAt, answer: null },
        ...{ attemptId: randomUUID(), startedAt: createdAt, durationMs: 1 },
        ...{ signedAt: null, signature: null },
      };

      const isStored = await createOutcomeWriter().write(ctx, { outcome, receiver: "received" });

      expect(isStored).toBe(true);
      expect((await pair.standby.query("primary", "select * from commits")).rows).toEqual([
        { waits: "on" },
      ]);
    });

    test("a database that is no standby of the primary is never read from", async () => {
      const { app, standby } = pair;
      const { db } = pair.open(standby.primaryUrl);
      const strangers = [
        new Replica("primary", pair.open(standby.primaryUrl)),
        new Replica("another installation", pair.open(app.database.connectionString)),
      ];
      await using set = new ReplicaSet({ primary: db, replicas: strangers, log: app.ctx.log });

      await set.look();

      expect(strangers.map(({ state }) => state)).toEqual(["other", "other"]);
    });

    test("records, logs, metrics, deliveries and the inbox are read there; a transaction is not", async () => {
      const { ctx, set } = pair.one;
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

// Made by the test itself.
function asConnection(id: string): ConnectionUuid {
  return id as ConnectionUuid;
}
