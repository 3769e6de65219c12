import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  newTimeId,
  type RunId,
  ServerStates,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { clearRecords } from "../erasure/clear-records.ts";
import { type ListedRecord, listRecords } from "../reading/list-records.ts";
import { deleteRecords } from "../writing/delete-records.ts";
import { saveRecords } from "../writing/save-records.ts";
import { type FeedPosition, readFeedCursor, writeFeedCursor } from "./feed-cursor.ts";
import { noteChanges } from "./note-changes.ts";
import { FeedReader, positionWithin } from "./read-feed.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const MODELS = ["Contact", "Deal", "Deal::v2"];
const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };
const filter = { models: undefined, integrationKeys: undefined, connection: undefined };

const write = fc.record({
  model: fc.constantFrom(...MODELS),
  kind: fc.constantFrom("save", "save", "save", "delete", "clear"),
  ids: fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { minLength: 1, maxLength: 8 }),
  /** Between the write and its commit. */
  heldMs: fc.constantFrom(0, 0, 2, 8, 20),
});
type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never;

async function perform(
  ctx: EnvironmentContext,
  connection: ConnectionUuid,
  each: Write,
  n: number,
) {
  const { model, kind, ids, heldMs } = each;
  if (kind === "clear") return await clearRecords(ctx, { connection, models: [model] });
  await withTransaction(ctx, async (ctx) => {
    const batch = { connection, model, writer, ids };
    if (kind === "delete") await deleteRecords(ctx, batch);
    else {
      const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, n })));
      await saveRecords(ctx, { ...batch, lines });
    }
    await sleep(heldMs);
  });
}

/** What a consumer holds who stores each event, and where it is. */
class Consumer {
  readonly held = new Map<string, Map<string, string>>();
  readonly disorder: string[] = [];
  at: FeedPosition = { position: 0, sequence: 0 };
  readonly #last = new Map<string, number>();

  /** Reads at most so many events, then is killed: only what it has stored with its position stays. */
  async read(ctx: EnvironmentContext, mostEvents: number): Promise<boolean> {
    const { position, ...head } = await noteChanges(ctx);
    const at = readFeedCursor({ ...head, position }, writeFeedCursor(head, this.at));
    let events = 0;
    const reader = new FeedReader(ctx, { at, filter });
    for await (const step of reader.steps(position)) {
      const { model } = step.entry;
      if (step.kind === "removed") {
        this.held.set(model, new Map());
        this.#last.delete(model);
        this.at = step.at;
        events += 1;
        if (events >= mostEvents) return false;
        continue;
      }
      for (const record of step.records) {
        this.#take(model, record);
        this.at = positionWithin(step.entry, record.row.sequence);
        events += 1;
        if (events >= mostEvents) return false;
      }
    }
    this.at = reader.at;
    return true;
  }

  #take(model: string, { row, line }: ListedRecord): void {
    const last = this.#last.get(model) ?? 0;
    if (row.sequence <= last) this.disorder.push(`${model} ${last} ${row.sequence}`);
    this.#last.set(model, row.sequence);
    const records = this.held.get(model) ?? new Map<string, string>();
    records.set(row.id, `${row.deleted === null} ${line}`);
    this.held.set(model, records);
  }
}

/** As if the feed had begun more than ten minutes ago: only models whose changes left a note are looked at. */
async function follow(ctx: EnvironmentContext): Promise<void> {
  await noteChanges(ctx);
  await sql`
    update record_feeds set compared_until = now() where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
}

async function readStored(ctx: EnvironmentContext, connection: ConnectionUuid, model: string) {
  const all = { cursor: undefined, modifiedAfter: undefined, filter: undefined, ids: undefined };
  const held = new Map<string, string>();
  const listing = { connection, model, ...all, limit: undefined, maxBytes: undefined };
  for await (const { records } of listRecords(ctx, listing)) {
    for (const { row, line } of records) held.set(row.id, `${row.deleted === null} ${line}`);
  }
  return held;
}

test("readers in several processes, killed at any event, end with what is stored, in order, while others write and commit late", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(write, { minLength: 3, maxLength: 12 }), { minLength: 3, maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 5, maxLength: 15 }),
      fc.boolean(),
      async (plans, kills, isFollowed) => {
        const ctx = await app.addEnvironment();
        if (isFollowed) await follow(ctx);
        const integration = await insertTestIntegration(ctx, "crm");
        const connection = (await insertTestConnection(ctx, integration, "a")).uuid;
        let n = 0;
        const writing = Promise.all(
          plans.map(async (plan) => {
            for (const each of plan) {
              n += 1;
              await perform(ctx, connection, each, n);
            }
          }),
        );
        const consumers = [new Consumer(), new Consumer()];
        const reading = consumers.map(async (consumer) => {
          for (const most of kills) {
            await consumer.read({ ...ctx, state: new ServerStates() }, most);
            await sleep(1);
          }
        });

        await Promise.all([writing, ...reading]);
        for (const consumer of consumers) {
          let isWhole = false;
          for (let round = 0; round < 100 && !isWhole; round += 1) {
            isWhole = await consumer.read(ctx, 20);
          }
          expect(isWhole).toBe(true);
        }

        for (const consumer of consumers) {
          expect(consumer.disorder).toEqual([]);
          for (const model of MODELS) {
            const stored = await readStored(ctx, connection, model);
            const held = consumer.held.get(model) ?? new Map<string, string>();
            expect(new Map([...held].toSorted())).toEqual(new Map([...stored].toSorted()));
          }
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
});
