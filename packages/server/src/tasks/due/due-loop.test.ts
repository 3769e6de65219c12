import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { addMs, createLogger, HOUR, MINUTE, systemClock } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { DueChannel, type DueClaim, type DueLoop, notifyDue, startDueLoop } from "../index.ts";

let app: TestContext;
let channel: DueChannel;
const loops: DueLoop[] = [];
beforeAll(async () => {
  app = await createTestContext();
  const { connectionString } = app.database;
  channel = new DueChannel({ connectionString, log: createLogger("silent") });
});
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop[Symbol.asyncDispose]();
});
afterAll(async () => {
  await channel[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

interface Observed {
  readonly loop: DueLoop;
  /** One item for each claim. */
  readonly claims: unknown[];
}

function start(name: string, claim: (count: number) => DueClaim | Promise<DueClaim>): Observed {
  const claims: unknown[] = [];
  const loop = startDueLoop({
    work: {
      name,
      claim: async () => {
        claims.push(name);
        return await claim(claims.length);
      },
    },
    channel,
    makeContext: (signal) => ({ ...app.ctx, clock: systemClock, signal }),
    fallbackMs: HOUR,
  });
  loops.push(loop);
  return { loop, claims };
}

const nothing: DueClaim = { claimed: 0, nextDueAt: undefined };

/** The channel tells every loop at the beginning of its connection; after that only when notified. */
async function settled({ claims }: Observed): Promise<number> {
  let before = -1;
  while (before !== claims.length) {
    before = claims.length;
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  }
  return before;
}

test("claims until nothing is due, then waits", async () => {
  const observed = start("drained", (count) => ({ ...nothing, claimed: count < 5 ? 10 : 0 }));

  await expect.poll(() => observed.claims.length).toBeGreaterThanOrEqual(5);
  const count = await settled(observed);

  expect(count).toBeLessThanOrEqual(6);
});

test("is woken by a notification when its transaction commits, by another name it is not", async () => {
  const observed = start("notified", () => nothing);
  const other = start("other", () => nothing);
  await notifyDue(app.ctx, "notified");
  await expect.poll(() => observed.claims.length).toBeGreaterThanOrEqual(2);
  const [before, otherBefore] = [await settled(observed), await settled(other)];

  await withTransaction(app.ctx, async (ctx) => {
    await notifyDue(ctx, "notified");
    expect(await settled(observed)).toBe(before);
  });

  await expect.poll(() => observed.claims.length).toBe(before + 1);
  expect(other.claims.length).toBe(otherBefore);
});

test("wakes by itself when the next row is due", async () => {
  const observed = start("slept", (count) => ({
    claimed: 0,
    nextDueAt: addMs(systemClock.now(), count === 1 ? 300 : HOUR),
  }));

  await expect.poll(() => observed.claims.length, { timeout: 5000 }).toBeGreaterThanOrEqual(2);
});

test("does not spin on a row that is due but held by another process", async () => {
  const nextDueAt = addMs(systemClock.now(), -MINUTE);
  const observed = start("held", () => ({ claimed: 0, nextDueAt }));

  await expect.poll(() => observed.claims.length).toBeGreaterThanOrEqual(1);

  expect(await settled(observed)).toBeLessThanOrEqual(3);
});

test("continues after a claim that failed", async () => {
  const observed = start("failing", (count) => {
    if (count === 1) throw new Error("the database is away");
    return nothing;
  });

  await expect.poll(() => observed.claims.length, { timeout: 5000 }).toBeGreaterThanOrEqual(2);
});

test("looks again after the listening connection was lost", async () => {
  const observed = start("reconnected", () => nothing);
  await notifyDue(app.ctx, "reconnected");
  await expect.poll(() => observed.claims.length).toBeGreaterThanOrEqual(2);
  const before = await settled(observed);

  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'jackfield listener' and datname = current_database()
  `.execute(app.database.db);

  await expect.poll(() => observed.claims.length, { timeout: 10_000 }).toBe(before + 1);
  await notifyDue(app.ctx, "reconnected");
  await expect.poll(() => observed.claims.length).toBe(before + 2);
});

test("calls that come while a loop rests are one claim, without the database too", async () => {
  const claims: number[] = [];
  const loop = startDueLoop({
    work: {
      name: "rested",
      restMs: 200,
      claim: async () => {
        claims.push(performance.now());
        return nothing;
      },
    },
    channel,
    makeContext: (signal) => ({ ...app.ctx, signal }),
    fallbackMs: HOUR,
  });
  loops.push(loop);
  await expect.poll(() => claims.length).toBeGreaterThan(0);
  const before = claims.length;

  for (let call = 0; call < 50; call += 1) {
    channel.wake("rested");
    await sleep(2);
  }

  await expect.poll(() => claims.length).toBeGreaterThan(before);
  await sleep(300);
  expect(claims.length).toBeLessThanOrEqual(before + 3);
  const gaps = claims.slice(1).map((at, n) => at - (claims[n] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(190);
});

test("a stop ends the sleep and waits for what was started", async () => {
  let drained = false;
  const loop = startDueLoop({
    work: {
      name: "stopped",
      claim: async () => nothing,
      drain: async () => {
        drained = true;
      },
    },
    channel,
    makeContext: (signal) => ({ ...app.ctx, signal }),
  });

  await loop[Symbol.asyncDispose]();

  expect(drained).toBe(true);
});

test("a first look waits for the one before it, a second at most", async () => {
  const never = Promise.withResolvers<DueClaim>();
  const looks: string[] = [];
  const begin = (name: string, claim: () => Promise<DueClaim>, after?: Promise<unknown>) => {
    const noted = async () => {
      looks.push(name);
      return await claim();
    };
    const work = { name, claim: noted };
    const makeContext = (signal: AbortSignal) => ({ ...app.ctx, clock: systemClock, signal });
    const loop = startDueLoop({ work, channel, makeContext, fallbackMs: HOUR, after });
    loops.push(loop);
    return loop;
  };
  const hangs = begin("hangs", async () => await never.promise);
  const next = begin("next", async () => nothing, hangs.looked);
  await sleep(100);
  const early = looks.includes("next");

  await next.looked;
  await expect.poll(() => looks).toContain("next");
  never.resolve(nothing);

  expect(early).toBe(false);
});
