import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, HOUR } from "#foundation";
import { type Database, openDatabase } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { endSessions, findServedSession, insertSession } from "../sessions/store.ts";
import { insertVersion, raiseVersion } from "../toolsets/store.ts";
import { takeCall } from "./store.ts";

let installation: TestContext;
/** Each with connections of its own, as processes have them. */
let processes: Database[];

beforeAll(async () => {
  installation = await createTestContext();
  const { connectionString } = installation.database;
  const onError = () => undefined;
  processes = [1, 2, 3].map(() =>
    openDatabase({ connectionString, maxConnections: 6, pooled: false, onError }),
  );
});
beforeAll(async () => await connect());
afterAll(async () => {
  for (const each of processes) await each[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

const environmentId = () => installation.ctx.environment.id;

const connectionUuid = randomUUID();

async function connect(): Promise<void> {
  await sql`
    with made as (
      insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
      values (${environmentId()}, 'crm', 'unauthenticated', now(), now()) returning id)
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, tags, created_at, updated_at)
    select ${connectionUuid}::uuid, ${environmentId()}, id, 'c', 'NONE', ''::bytea, '{"end_user_id": "ada"}', now(), now()
      from made`.execute(installation.ctx.db);
}

async function newSession(budget: { calls?: number; writes?: number }): Promise<string> {
  const { db } = installation.ctx;
  const createdAt = installation.clock.now();
  const made = { id: randomUUID(), name: `t-${randomUUID()}`, now: createdAt };
  const raised = await raiseVersion(db, environmentId(), made);
  const settings = { description: "", mode: "direct" as const, tools: [{ integration: "crm" }] };
  await insertVersion(db, environmentId(), { ...raised, settings, createdAt });
  const id = randomUUID();
  await insertSession(db, environmentId(), {
    ...{ id, budget, createdAt, tokenHash: Buffer.from(id), policy: {}, endUserId: "ada" },
    ...{ toolsetId: raised.id, toolset: made.name, toolsetVersion: raised.version },
    expiresAt: addMs(createdAt, HOUR),
  });
  return id;
}

async function take({ db }: Database, sessionId: string, effect: "read" | "write" = "read") {
  const at = installation.clock.now();
  const decidedBy = await findServedSession(db, environmentId(), sessionId);
  if (decidedBy === undefined) throw new Error("no such session");
  return await takeCall(db, environmentId(), {
    ...{ id: randomUUID(), at, sessionId, client: "test", tool: "crm__a", integration: "crm" },
    ...{ connectionId: "c", effect, inputDigest: Buffer.from(randomUUID()) },
    ...{ mostRepeats: 5, since: addMs(at, -HOUR) },
    ...{ decidedBy, connectionUuid },
  });
}

async function countRows(sessionId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from agent_calls where session_id = ${sessionId}`.execute(
    installation.ctx.db,
  );
  return rows[0]?.n ?? 0;
}

test("of a hundred calls at once in each of three processes, as many begin as the budget has", async () => {
  const id = await newSession({ calls: 50 });

  const taken = await Promise.all(
    processes.flatMap((each) => Array.from({ length: 100 }, async () => await take(each, id))),
  );

  expect(taken.filter((each) => each !== undefined)).toHaveLength(50);
  expect(await countRows(id)).toBe(50);
});

test("writes have a budget of their own, which reads leave alone", async () => {
  const id = await newSession({ writes: 3 });

  const taken = await Promise.all(
    processes.flatMap((each) =>
      Array.from({ length: 10 }, async (_, n) => await take(each, id, n < 5 ? "write" : "read")),
    ),
  );

  expect(taken.filter((each) => each !== undefined)).toHaveLength(3 + 15);
});

test("once a session is ended no process begins a call, also of those that were on their way", async () => {
  const id = await newSession({});
  let isEnded = false;
  const begunAfter: unknown[] = [];
  let begun = 0;
  const callUntilRefused = async (process: Database) => {
    for (;;) {
      const wasEnded = isEnded;
      const taken = await take(process, id);
      if (taken === undefined) return;
      begun += 1;
      if (wasEnded) begunAfter.push(taken);
    }
  };

  const callers = processes.flatMap((each) =>
    Array.from({ length: 17 }, () => callUntilRefused(each)),
  );
  await expect.poll(() => begun).toBeGreaterThan(50);
  await endSessions(installation.ctx.db, environmentId(), { id, now: installation.clock.now() });
  isEnded = true;
  const rows = await countRows(id);
  await Promise.all(callers);

  expect(begunAfter).toEqual([]);
  expect(await countRows(id)).toBe(rows);
});

test("a call that was decided by other rules than those of now, or for an account that is gone, does not begin", async () => {
  const { db } = installation.ctx;
  const process = processes[0];
  if (process === undefined) throw new Error("no process");
  const takeAfter = async (change: (id: string) => Promise<unknown>) => {
    const id = await newSession({});
    const decidedBy = await findServedSession(db, environmentId(), id);
    if (decidedBy === undefined) throw new Error("no such session");
    await change(id);
    const at = installation.clock.now();
    return await takeCall(process.db, environmentId(), {
      ...{
        id: randomUUID(),
        at,
        sessionId: id,
        client: "test",
        tool: "crm__a",
        integration: "crm",
      },
      ...{ connectionId: "c", effect: "read", inputDigest: Buffer.from(randomUUID()) },
      ...{ mostRepeats: 5, since: addMs(at, -HOUR), decidedBy, connectionUuid },
    });
  };

  const unchanged = await takeAfter(async () => {});
  const narrowed = await takeAfter(async (id) =>
    sql`update agent_sessions set policy = '{"effects": ["read"]}' where id = ${id}`.execute(db),
  );
  const tainted = await takeAfter(async (id) =>
    sql`update agent_sessions set untrusted_seen = true where id = ${id}`.execute(db),
  );
  const changedToolset = await takeAfter(async (id) =>
    sql`update agent_toolsets set version = version + 1
         where id = (select toolset_id from agent_sessions where id = ${id})`.execute(db),
  );
  const ofAnother = await takeAfter(async () =>
    sql`update connections set tags = '{"end_user_id": "bob"}' where uuid = ${connectionUuid}`.execute(
      db,
    ),
  );

  expect(unchanged).toBeDefined();
  expect([narrowed, tainted, changedToolset, ofAnother]).toEqual(Array(4).fill(undefined));
});
