import { randomUUID } from "node:crypto";
import { routes } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditTrail, eraseAuditDetails, recordAudit, recordRefusal } from "#audit";
import { AppError, DAY, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { isAudited } from "./audited-routes.ts";
import { pruneEvents } from "./chain/prune-events.ts";
import { sealEvents } from "./chain/seal-events.ts";
import { verifyChain } from "./chain/verify-chain.ts";
import { listAuditEvents, readAuditEvents } from "./list-audit-events.ts";
import { csvHead, toCsvLine } from "./present-event.ts";

let app: TestContext;
let ctx: SystemContext;

beforeAll(async () => {
  app = await createTestContext();
  const { accountId } = app.ctx.environment;
  const key = { kind: "key", keyId: randomUUID(), keyName: "backend" } as const;
  const origin = { address: "192.0.2.7", userAgent: "tests/1", requestId: "r-1" };
  ctx = { ...app.ctx, actor: { ...key, accountId, scopes: ["environment:*"] }, origin };
});
afterAll(async () => await app[Symbol.asyncDispose]());

const { createApiKey } = routes;

function begin(body: object, params?: object) {
  const call = { name: "createApiKey", route: createApiKey, input: { body, params } };
  const note = auditTrail.begin(ctx, call);
  if (note === undefined) throw new Error("the route is not audited");
  return note;
}

async function latest() {
  const { events } = await listAuditEvents(ctx, { filter: {}, limit: 1, cursor: undefined });
  return events[0];
}

async function record(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    app.clock.advance(1000);
    await begin({ display_name: `key ${n}` }).finish();
  }
}

test("a change leaves a row that says who, what and how, and no value that may be secret", async () => {
  const note = begin({ display_name: "ci", scopes: ["environment:deploy"], secret: "hunter2" });

  await withTransaction({ ...ctx, atCommit: note }, async () => undefined);
  await note.finish();

  const row = await latest();
  expect(row).toMatchObject({
    accountId: app.ctx.environment.accountId,
    environmentId: app.ctx.environment.id,
    actor: { kind: "key", name: "backend", address: "192.0.2.7", user_agent: "tests/1" },
    via: "key",
    action: "createApiKey",
    fields: {
      display_name: "ci",
      scopes: '["environment:deploy"]',
      secret: expect.stringMatching(/^#[0-9a-f]{16}$/),
    },
    requestId: "r-1",
    outcome: "done",
  });
  const { rows } = await app.database.pool.query("select e::text from audit_events e");
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain("hunter2");
});

test("a change that is rolled back leaves no row, and one whose row cannot be written is not made", async () => {
  const count = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from audit_events`.execute(ctx.db)).rows[0]
      ?.n;
  const before = await count();
  const failing = withTransaction({ ...ctx, atCommit: begin({}) }, async () => {
    throw new AppError("conflict");
  });
  await expect(failing).rejects.toMatchObject({ code: "conflict" });
  expect(await count()).toBe(before);

  await sql`create table changed (n int)`.execute(ctx.db);
  await sql`alter table audit_events add constraint full_disk check (false) not valid`.execute(
    ctx.db,
  );
  const changing = withTransaction({ ...ctx, atCommit: begin({}) }, async ({ db }) => {
    await sql`insert into changed values (1)`.execute(db);
  });
  await expect(changing).rejects.toThrow("full_disk");
  await sql`alter table audit_events drop constraint full_disk`.execute(ctx.db);
  const { rows } = await sql`select from changed`.execute(ctx.db);
  expect(rows).toHaveLength(0);
});

test("every route that changes something is audited, or listed with the reason", () => {
  const changing = Object.entries(routes).filter(([, { method }]) => method !== "GET");
  const unaudited = changing.filter(([name, route]) => !isAudited(name, route));

  expect(changing.length - unaudited.length).toBeGreaterThan(50);
  // Nothing that gives rights, hands out secrets or deletes may be among them.
  for (const [name, { path, method }] of unaudited) {
    expect(`${method} ${path}`, name).not.toMatch(
      /api-keys|users|settings|variables|rotate|reveal/,
    );
    // Of end users, whose operations the logs hold.
    if (method === "DELETE") expect(path).toMatch(/^\/connect\/(session|connections)\b/);
  }
});

test("of refusals the first 100 of a minute are kept", async () => {
  const refusal = { name: "deleteApiKey", route: routes.deleteApiKey, params: undefined };
  for (let n = 0; n < 120; n += 1) await recordRefusal(ctx, { ...refusal, code: "forbidden" });

  const filter = { outcome: "refused" } as const;
  const { events } = await listAuditEvents(ctx, { filter, limit: 500, cursor: undefined });
  expect(events).toHaveLength(100);
  expect(events[0]).toMatchObject({ action: "deleteApiKey", code: "forbidden" });
});

test("lists are filtered and paged; another account sees nothing", async () => {
  await record(5);
  const filter = { action: "createApiKey", from: new Date(app.clock.now().getTime() - 4500) };

  const first = await listAuditEvents(ctx, { filter, limit: 2, cursor: undefined });
  const rest = await listAuditEvents(ctx, { filter, limit: 10, cursor: first.nextCursor ?? "" });
  const names = [...first.events, ...rest.events].map(({ fields }) => fields["display_name"]);

  expect(names).toEqual(["key 4", "key 3", "key 2", "key 1", "key 0"]);
  const actor = { kind: "key", keyId: "k", accountId: randomUUID(), scopes: [] } as const;
  const stranger = await listAuditEvents(
    { ...ctx, actor },
    { filter, limit: 10, cursor: undefined },
  );
  expect(stranger.events).toEqual([]);
  const lines = [];
  for await (const row of readAuditEvents(ctx, filter)) lines.push(toCsvLine(row));
  expect(lines).toHaveLength(5);
  expect(csvHead.split(",")).toHaveLength(16);
});

test("a spreadsheet takes no cell of the export for a formula", async () => {
  await begin({}, { name: '=HYPERLINK("http://evil.example")' }).finish();
  const row = await latest();
  if (row === undefined) throw new Error("no row");
  const evil = { ...row, actor: { ...row.actor, name: "=1+1", user_agent: '@x,"y' } };

  const line = toCsvLine(evil);

  expect(line).toContain(",'=1+1,");
  expect(line).toContain(`,"'@x,""y",`);
});

test("an untouched log verifies, also after its oldest events were removed by age", async () => {
  await record(3);
  await sealEvents(ctx);
  app.clock.advance(401 * DAY);
  await record(2);
  await sealEvents(ctx);
  expect((await verifyChain(ctx)).faults).toEqual([]);

  await pruneEvents(ctx);
  const report = await verifyChain(ctx);

  expect(report).toMatchObject({ faults: [], events: 2, unsealed: 0 });
  expect(report.head).toMatch(/^[0-9a-f]{64}$/);
  await recordAudit(ctx, {
    ...{
      accountId: null,
      environmentId: null,
      via: "system",
      action: "x",
      target: {},
      fields: {},
      before: null,
    },
    ...{ requestId: null, outcome: "done", code: null },
    actor: { kind: "system", id: null, name: null, address: null, user_agent: null },
  });
  expect(await verifyChain(ctx)).toMatchObject({ faults: [], unsealed: 1 });
});

test("a log verifies while the server writes and seals it", async () => {
  const reports = [];
  for (let round = 0; round < 15; round += 1) {
    const verifying = [verifyChain(ctx), verifyChain(ctx)];
    await record(2);
    await sealEvents(ctx);
    reports.push(...(await Promise.all(verifying)));
  }

  expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
});

const anyEvent =
  "sequence = (select sequence from audit_events where seal_id is not null order by random() limit 1)";
const anySeal =
  "id = (select id from audit_seals where id > (select pruned_until from audit_head) order by random() limit 1)";

/** What somebody with the database at hand may do to hide what they did. */
const tampering: readonly (readonly [string, string])[] = [
  [
    "another actor",
    `update audit_events set actor = actor || '{"name": "nobody"}' where ${anyEvent}`,
  ],
  ["another time", `update audit_events set at = at - interval '1 day' where ${anyEvent}`],
  ["another action", `update audit_events set action = 'listUsers' where ${anyEvent}`],
  ["another field", `update audit_events set fields = '{"a": "b"}' where ${anyEvent}`],
  [
    "another outcome",
    `update audit_events set outcome = case outcome when 'done' then 'refused' else 'done' end where ${anyEvent}`,
  ],
  ["an event deleted", `delete from audit_events where ${anyEvent}`],
  [
    "an event moved to another seal",
    `update audit_events set seal_id = (select max(id) + 1 from audit_seals) where ${anyEvent}`,
  ],
  ["an event taken out of its seal", `update audit_events set seal_id = null where ${anyEvent}`],
  [
    "two events swapped",
    `with pair as (select array_agg(sequence) as s from (select sequence from audit_events where seal_id =
       (select id from audit_seals where events > 1 and id > (select pruned_until from audit_head) order by random() limit 1)
       order by random() limit 2) p)
     update audit_events e set id = gen_random_uuid() from pair where e.sequence = pair.s[1]`,
  ],
  [
    "an event added",
    `insert into audit_events (id, account_id, at, actor, via, action, target, fields, outcome, mac)
     select gen_random_uuid(), account_id, at, actor, via, action, target, fields, outcome, mac
       from audit_events where ${anyEvent}`,
  ],
  [
    "another name in the details",
    `update audit_details set data = data || '{"name": "nobody"}' where event_id in (select id from audit_events where ${anyEvent})`,
  ],
  [
    "another address under another salt",
    `update audit_details set data = data || '{"address": "::1"}', salt = sha256(salt)
      where event_id in (select id from audit_events where ${anyEvent})`,
  ],
  [
    "details taken away",
    `delete from audit_details where event_id in (select id from audit_events where ${anyEvent})`,
  ],
  ["other values before", `update audit_events set before = '{"name": "x"}' where ${anyEvent}`],
  ["a seal changed", `update audit_seals set digest = sha256(digest) where ${anySeal}`],
  ["a seal deleted", `delete from audit_seals where ${anySeal}`],
  [
    "the end cut off",
    `with cut as (delete from audit_seals where id = (select last_seal from audit_head) returning id)
     delete from audit_events where seal_id in (select id from cut)`,
  ],
  ["the head taken back", "update audit_head set last_seal = last_seal - 1"],
  ["more said to be pruned", "update audit_head set pruned_until = pruned_until + 1"],
];

test("500 edits of the log are all found", { timeout: 120_000 }, async () => {
  for (let seal = 0; seal < 5; seal += 1) {
    await record(4);
    await sealEvents(ctx);
  }
  expect((await verifyChain(ctx)).faults).toEqual([]);
  const missed: string[] = [];

  for (let n = 0; n < 500; n += 1) {
    const [name, statement] = tampering[n % tampering.length] ?? ["", ""];
    await withTransaction(ctx, async (inside) => {
      const { numAffectedRows } = await sql.raw(statement).execute(inside.db);
      if (numAffectedRows === 0n) throw new Error(`${name} changed nothing`);
      if ((await verifyChain(inside)).faults.length === 0) missed.push(name);
      throw new AppError("conflict");
    }).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === "conflict")) throw error;
    });
  }

  expect(missed).toEqual([]);
});

test("an emptied log shows, and so does one that lacks a seal that was kept elsewhere", async () => {
  await record(1);
  await sealEvents(ctx);
  const { head } = await verifyChain(ctx);

  expect((await verifyChain(ctx, { known: head })).faults).toEqual([]);
  expect((await verifyChain(ctx, { known: "ab".repeat(32) })).faults).toHaveLength(1);
  await withTransaction(ctx, async (inside) => {
    await sql`truncate audit_events, audit_seals, audit_head`.execute(inside.db);
    expect((await verifyChain(inside)).faults).toEqual(["The log was emptied."]);
    throw new AppError("conflict");
  }).catch((error: unknown) => expect(error).toMatchObject({ code: "conflict" }));
});

test("a person is erased from the log, which still verifies; others stay", async () => {
  const userId = randomUUID();
  const email = "grace@person.example";
  const session = { kind: "user", userId, userName: "Grace Hopper", sessionId: "s" } as const;
  const { accountId } = app.ctx.environment;
  const scopes = ["account:*"];
  const asPerson = { ...ctx, actor: { ...session, accountId, scopes, elevatedUntil: undefined } };
  const note = (of: SystemContext, name: "createUser" | "updateMe", body: object) =>
    auditTrail.begin(of, { name, route: routes[name], input: { body } });
  await note(ctx, "createUser", { email, name: "Grace Hopper", grants: [] })?.finish();
  await note(asPerson, "updateMe", { name: "Amazing Grace" })?.finish();
  await note(ctx, "createUser", { email: "ada@person.example", name: "Ada", grants: [] })?.finish();
  await begin({}, { connection_id: "grace@person.example" }).finish();
  await sealEvents(ctx);
  const dump = async () => {
    const { rows } = await sql`
      select e::text from audit_events e union all select d::text from audit_details d`.execute(
      ctx.db,
    );
    return JSON.stringify(rows);
  };
  expect(await dump()).toContain("Amazing Grace");
  const { faults: before } = await verifyChain(ctx);

  const erased = await eraseAuditDetails(ctx, {
    ...{ accountId, userId, emails: [email.toUpperCase()] },
    environmentId: app.ctx.environment.id,
    connectionIds: [email],
  });
  await sealEvents(ctx);

  expect([before, erased]).toEqual([[], 4]);
  expect(await dump()).not.toMatch(/grace/i);
  expect(await dump()).toContain("ada@person.example");
  expect(await verifyChain(ctx)).toMatchObject({ faults: [], erased: 4 });
  const { events } = await listAuditEvents(ctx, {
    filter: { actorId: userId },
    limit: 5,
    cursor: undefined,
  });
  expect(events).toMatchObject([{ action: "updateMe", actor: { id: userId, name: null } }]);
  await withTransaction(ctx, async (inside) => {
    await sql`delete from audit_details where part = 'subject'`.execute(inside.db);
    expect((await verifyChain(inside)).faults.join()).toMatch(/details are missing/);
    throw new AppError("conflict");
  }).catch((error: unknown) => expect(error).toMatchObject({ code: "conflict" }));
});
