import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addMs, MINUTE, ServerStates } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import type { EnvironmentId } from "../../ids.ts";
import { WorkerSilent } from "../sessions/database-away.ts";
import { askEach } from "./ask-each.ts";
import { type Asked, silence } from "./silence.ts";

let app: TestContext;
let ctx: Asked;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(() => {
  ctx = { ...app.ctx, state: new ServerStates() };
});

type Item = readonly [EnvironmentId, number];

function newItems(count: number): Item[] {
  return Array.from({ length: count }, (_, n) => [randomUUID() as EnvironmentId, n]);
}

/** Suspects them, the first of them for longest. */
function suspect(items: readonly Item[]): void {
  for (const [at, [id]] of items.entries()) {
    silence.of(ctx).note(id, addMs(app.clock.now(), (at - items.length) * MINUTE));
  }
}

test("four environments are asked at the same time, and each once", async () => {
  const items = newItems(30);
  const done: number[] = [];
  let [running, most] = [0, 0];

  const asked = await askEach(ctx, items, async (_ctx, n) => {
    running += 1;
    most = Math.max(most, running);
    for (let turns = 0; turns < 5; turns += 1) await turn();
    running -= 1;
    done.push(n);
    return n * 2;
  });

  expect(most).toBe(4);
  expect(done.toSorted((a, b) => a - b)).toEqual(items.map(([, n]) => n));
  const expected = items.map(([environmentId, item]) => ({
    ...{ environmentId, item, outcome: { status: "fulfilled", value: item * 2 } },
  }));
  expect(asked.toSorted((a, b) => a.item - b.item)).toEqual(expected);
});

test("suspected environments come last, four of them that have been silent for longest", async () => {
  const items = newItems(16);
  const suspected = [...items.slice(0, 5).toReversed(), ...items.slice(10, 13)];
  suspect(suspected);
  const order: number[] = [];

  const asked = await askEach(ctx, items, async (_ctx, n) => void order.push(n));

  const others = items.filter((item) => !suspected.includes(item)).map(([, n]) => n);
  expect(order.slice(0, others.length).toSorted((a, b) => a - b)).toEqual(others);
  expect(order.slice(others.length)).toEqual([4, 3, 2, 1]);
  const failed = asked.filter(({ outcome }) => outcome.status === "rejected");
  expect(failed.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual([0, 10, 11, 12]);
  for (const { outcome } of failed) expect(Object(outcome).reason).toBeInstanceOf(WorkerSilent);
});

test("one that does not answer or fails ends no other; the one is suspected, the other is not", async () => {
  const items = newItems(10);
  const [silent, wrong] = [items[2]?.[0], items[5]?.[0]];

  const asked = await askEach(ctx, items, async ({ db }, _n, id) => {
    if (id === silent) await sql`select pg_sleep(20)`.execute(db);
    if (id === wrong) await sql`select 1 / 0`.execute(db);
  });

  const failed = asked.filter(({ outcome }) => outcome.status === "rejected");
  expect(new Set(failed.map(({ environmentId }) => environmentId))).toEqual(
    new Set([silent, wrong]),
  );
  expect(silence.of(ctx).list()).toEqual([silent]);
});
