import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addMs, type ConnectionUuid, DAY, MINUTE } from "#foundation";
import { type ConnectionServer, startConnectionServer } from "../testing/connection-server.ts";
import { countUse } from "../uses/count-uses.ts";

let server: ConnectionServer;
let call: ConnectionServer["call"];
let now: Date;

beforeAll(async () => {
  server = await startConnectionServer([]);
  ({ call } = server);
  now = server.installation.ctx.clock.now();
});
afterAll(async () => await server[Symbol.asyncDispose]());

beforeEach(async () => {
  await sql`delete from connections`.execute(server.installation.ctx.db);
});

async function add(connectionId: string, columns: Record<string, unknown> = {}) {
  const added = await call("full", "POST", "/connections", {
    provider_config_key: "plain",
    connection_id: connectionId,
    credentials: { type: "API_KEY", apiKey: `key of ${connectionId}` },
  });
  expect(added.status).toBe(201);
  for (const [name, value] of Object.entries(columns)) {
    await sql`update connections set ${sql.ref(name)} = ${value}
               where connection_id = ${connectionId}`.execute(server.installation.ctx.db);
  }
}

async function addOneOfEachState() {
  await add("fine");
  await add("asked", { refresh_lease_until: addMs(new Date(), MINUTE) });
  await add("broken-off", { refresh_lease_until: addMs(new Date(), -MINUTE) });
  await add("failing", { refresh_not_before: addMs(now, MINUTE), refresh_failures: 3 });
  await add("withdrawn", { needs_reauthorization_at: now, refresh_not_before: now });
  await add("awaited", { is_pending: true });
}

async function idsOf(query: string): Promise<string[]> {
  const { status, body } = await call("full", "GET", `/connections?${query}`);
  expect(status).toBe(200);
  return body.connections.map(({ connection_id }: { connection_id: string }) => connection_id);
}

test.each([
  ["ok", ["broken-off", "fine"]],
  ["refreshing", ["asked"]],
  ["backoff", ["failing"]],
  ["needs_reauthorization", ["withdrawn"]],
  ["pending", ["awaited"]],
])("the state %s is a filter and is part of health", async (state, ids) => {
  await addOneOfEachState();

  const { body } = await call("full", "GET", `/connections?state=${state}&include=health`);

  const found: { connection_id: string; health: { state: string } }[] = body.connections;
  expect(found.map(({ connection_id }) => connection_id).toSorted()).toEqual(ids);
  expect(new Set(found.map(({ health }) => health.state))).toEqual(new Set([state]));
});

test("counts are by state and by integration", async () => {
  await addOneOfEachState();

  const { body } = await call("reader", "GET", "/connections/count");
  const none = await call("reader", "GET", "/connections/count?integrationId=second");

  const by_state = { ok: 2, refreshing: 1, backoff: 1, needs_reauthorization: 1, pending: 1 };
  expect(body.data).toEqual({
    total: 6,
    by_state,
    by_integration: [{ provider_config_key: "plain", total: 6, by_state }],
  });
  expect(none.body.data).toMatchObject({ total: 0, by_integration: [] });
});

test("a cursor leads through the list in each order, without a gap or a repetition", async () => {
  for (let n = 0; n < 7; n += 1) {
    const expiresAt = addMs(now, (n % 3) * MINUTE);
    await add(`c-${n}`, {
      credentials_expire_at: expiresAt,
      reauthorize_by: expiresAt,
      created_at: addMs(now, n % 2),
    });
  }

  for (const sort of ["created_at", "expires_at", "reauthorize_by", "last_used_at"]) {
    const whole = await idsOf(`sort=${sort}`);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const part: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await call("full", "GET", `/connections?sort=${sort}&limit=2${part}`);
      paged.push(...body.connections.map((one: { connection_id: string }) => one.connection_id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(whole).toHaveLength(7);
    expect(paged).toEqual(whole);
  }
});

test("a cursor of one order is refused in another", async () => {
  await add("a", { credentials_expire_at: now });
  await add("b", { credentials_expire_at: now });
  const first = await call("full", "GET", "/connections?limit=1");

  const refused = await call(
    "full",
    "GET",
    `/connections?sort=expires_at&cursor=${encodeURIComponent(first.body.next_cursor)}`,
  );

  expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_cursor"]);
});

test("pages by number still work", async () => {
  for (const id of ["a", "b", "c"]) await add(id);

  const first = await idsOf("limit=2&page=0");
  const second = await idsOf("limit=2&page=1");

  expect([...first, ...second].toSorted()).toEqual(["a", "b", "c"]);
});

test("what expires before a time is listed, the next to expire first", async () => {
  await add("later", { credentials_expire_at: addMs(now, 2 * MINUTE) });
  await add("soon", { credentials_expire_at: addMs(now, MINUTE) });
  await add("much-later", { credentials_expire_at: addMs(now, DAY) });
  await add("never");

  const before = encodeURIComponent(addMs(now, DAY).toISOString());
  const found = await idsOf(`expires_before=${before}`);

  expect(found).toEqual(["soon", "later"]);
});

test("what has to be authorized again before a time is listed, the first first, without what needs it already", async () => {
  const end = { needs_reauthorization_at: now, reauthorize_by: addMs(now, MINUTE) };
  await add("later", { reauthorize_by: addMs(now, 2 * DAY) });
  await add("soon", { reauthorize_by: addMs(now, MINUTE) });
  await add("sooner", { reauthorize_by: addMs(now, -MINUTE) });
  await add("refused", end);
  await add("renewed-by-itself", { credentials_expire_at: addMs(now, MINUTE) });

  const before = encodeURIComponent(addMs(now, DAY).toISOString());
  const { body } = await call(
    "full",
    "GET",
    `/connections?reauthorize_before=${before}&include=health`,
  );
  const all = await idsOf("sort=reauthorize_by");

  const found: { connection_id: string; health: { reauthorize_by: string } }[] = body.connections;
  expect(found.map(({ connection_id }) => connection_id)).toEqual(["sooner", "soon"]);
  expect(found[1]?.health.reauthorize_by).toBe(addMs(now, MINUTE).toISOString());
  expect(all).toEqual(["sooner", "soon", "later"]);
});

test("a call with a connection is a use of it", async () => {
  const { ctx } = server.installation;
  const old = addMs(now, -3 * DAY);
  const day = old.toISOString().slice(0, 10);
  for (const id of ["called", "idle"]) await add(id, { created_at: old, last_used_on: day });
  const { rows } = await sql<{ uuid: ConnectionUuid }>`
    select uuid from connections where connection_id = 'called'`.execute(ctx.db);
  const actor = { kind: "function", functionName: "sync" } as const;

  countUse({ ...ctx, actor: Object(actor) }, rows[0]?.uuid ?? "", "call");
  const since = encodeURIComponent(addMs(now, -DAY).toISOString());
  const found = await idsOf(`unused_since=${since}`);
  const { body } = await call("full", "GET", "/connections?connectionId=called&include=health");

  expect(found).toEqual(["idle"]);
  expect(body.connections[0].health.last_used_on).toBe(now.toISOString().slice(0, 10));
});

test("what nobody has read since a time is listed, also what never was", async () => {
  const old = addMs(now, -3 * DAY);
  const day = (at: Date) => at.toISOString().slice(0, 10);
  await add("forgotten", { last_fetched_at: old, last_used_on: day(old), created_at: old });
  await add("never", { created_at: old, last_used_on: day(old) });
  await add("read-lately", { created_at: old, last_used_on: day(old) });
  await add("new");
  await call("full", "GET", "/connections/read-lately?provider_config_key=plain");

  const since = encodeURIComponent(addMs(now, -DAY).toISOString());
  const found = await idsOf(`unused_since=${since}`);

  expect(found.toSorted()).toEqual(["forgotten", "never"]);
});

test.each([
  "state=error",
  "sort=name",
  "expires_before=yesterday",
  "unused_since=1",
  "cursor=",
  "page=1&cursor=abc",
  "sort=created_at&expires_before=2026-01-01T00:00:00Z",
  "sort=expires_at&unused_since=2026-01-01T00:00:00Z",
  "sort=expires_at&reauthorize_before=2026-01-01T00:00:00Z",
  "include=secrets",
])("400 for ?%s", async (query) => {
  const { status, body } = await call("full", "GET", `/connections?${query}`);

  expect([status, body.error.code]).toEqual([400, "invalid_query_params"]);
});
