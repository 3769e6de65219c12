import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { recordFeedRoutes } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createApiKey } from "#environments";
import {
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  newTimeId,
  type RunId,
} from "#foundation";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { DueChannel } from "#tasks";
import { type TestApp, testApp } from "#testing";
import { clearRecords } from "../erasure/clear-records.ts";
import { eraseRecords } from "../erasure/erase-records.ts";
import { records } from "../slice.ts";
import { deleteRecords } from "../writing/delete-records.ts";
import { saveRecords } from "../writing/save-records.ts";
import { joinOldFeedEntries } from "./join-old-entries.ts";
import { noteChanges } from "./note-changes.ts";
import { renewFeeds } from "./store.ts";

let app: TestApp;
let url: string;
let channel: DueChannel;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };
const schema = recordFeedRoutes.streamRecords.success.schema;
type FeedEvent = ReturnType<typeof schema.parse>;

beforeAll(async () => {
  app = await testApp({ slices: [records], caller: async ({ signal }) => ({ ...ctx, signal }) });
  const { connectionString } = app.database;
  channel = new DueChannel({ connectionString, log: app.ctx.log });
  await vi.waitUntil(() => channel.isListening, { timeout: 10_000, interval: 10 });
  url = await app.listen();
});
afterAll(async () => {
  await channel[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = { ...(await app.addEnvironment()), notices: channel };
  connection = await addConnection("crm", "customer-1");
});

async function addConnection(integrationKey: string, id: string): Promise<ConnectionUuid> {
  const integration = await insertTestIntegration(ctx, integrationKey);
  return (await insertTestConnection(ctx, integration, id)).uuid;
}

async function save(model: string, ids: readonly string[], text = "", of = connection) {
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text })));
  await saveRecords(ctx, { connection: of, model, writer, ids, lines });
}

async function remove(model: string, ids: readonly string[]) {
  await deleteRecords(ctx, { connection, model, writer, ids });
}

/** The events of a feed that ends by itself, without heartbeats. */
async function read(query = "", headers: Record<string, string> = {}): Promise<FeedEvent[]> {
  const response = await fetch(`${url}/records/feed?${query}`, { headers });
  expect(response.status).toBe(200);
  const lines = (await response.text()).trimEnd().split("\n");
  const events = lines.map((line) => schema.parse(JSON.parse(line)));
  return events.filter(({ type }) => type !== "heartbeat");
}

const end: FeedEvent = { type: "end", cursor: "" };

function present(event: FeedEvent): string {
  if (event.type === "end" || event.type === "heartbeat") return event.type;
  const of = `${event.model}${event.variant === "base" ? "" : `/${event.variant}`}`;
  if (event.type === "removed") return `${of} removed`;
  return `${of} ${event.record.id} ${event.record._svc_metadata.last_action}`;
}

/** Server-sent events as they come; `next` waits for one with data. */
async function listen(query = "", headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const response = await fetch(`${url}/records/feed?${query}`, {
    headers: { accept: "text/event-stream", ...headers },
    signal: stop.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let lastId = "";
  return {
    response,
    stop: () => stop.abort(),
    lastId: () => lastId,
    /** Undefined when the stream has ended. */
    async next(): Promise<FeedEvent | undefined> {
      for (;;) {
        const [block, ...rest] = text.split("\n\n");
        if (rest.length > 0) {
          text = rest.join("\n\n");
          lastId = /^id: (.*)$/m.exec(block ?? "")?.[1] ?? lastId;
          const data = /^data: (.*)$/m.exec(block ?? "")?.[1];
          if (data !== undefined) return schema.parse(JSON.parse(data));
          continue;
        }
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
        if (done) return undefined;
        text += value;
      }
    },
  };
}

test("all models come, each in its order, with deletions; a cursor continues behind its event", async () => {
  await save("Contact", ["1", "2", "3"]);
  await save("Deal::v2", ["a"]);
  await save("Contact", ["2"], "changed");
  await remove("Contact", ["1"]);

  const all = await read();
  const rests = await Promise.all(all.map(async ({ cursor }) => await read(`cursor=${cursor}`)));

  const contacts = all.filter((event) => "model" in event && event.model === "Contact");
  expect(contacts.map(present)).toEqual([
    "Contact 3 ADDED",
    "Contact 2 UPDATED",
    "Contact 1 DELETED",
  ]);
  expect(new Set(contacts.map((event) => "source" in event && event.source)).size).toBe(1);
  expect(all.map(present)).toContain("Deal/v2 a ADDED");
  expect(all.at(-1)?.type).toBe("end");
  for (const [index, rest] of rests.entries()) {
    expect(rest.slice(0, -1).map(present)).toEqual(all.slice(index + 1, -1).map(present));
  }
});

test("an end is the start of the next reading, which has only what changed since", async () => {
  await save("Contact", ["1", "2"]);
  const first = await read();
  await save("Contact", ["2", "3"], "later");

  const second = await read(`cursor=${first.at(-1)?.cursor}`);
  const none = await read(`cursor=${second.at(-1)?.cursor}`);
  const fromNow = await read("from=now");

  expect(second.map(present)).toEqual(["Contact 2 UPDATED", "Contact 3 ADDED", "end"]);
  expect([none, fromNow].map((events) => events.map(present))).toEqual([["end"], ["end"]]);
});

test("filters by model, variant, integration and connection leave the rest out", async () => {
  await save("Contact", ["1"]);
  await save("Contact::v2", ["2"]);
  await save("Deal", ["3"]);
  const other = await addConnection("billing", "customer-1");
  await save("Contact", ["4"], "", other);

  const idsOf = async (query: string) =>
    (await read(query)).flatMap((event) => (event.type === "record" ? [event.record.id] : []));

  expect((await idsOf("models=Contact")).toSorted()).toEqual(["1", "2", "4"]);
  expect(await idsOf("models=Contact::v2,Invoice")).toEqual(["2"]);
  expect(await idsOf("provider_config_key=billing")).toEqual(["4"]);
  const own = "provider_config_key=crm&connection_id=customer-1&models=Deal";
  expect(await idsOf(own)).toEqual(["3"]);
  const unknown = await fetch(`${url}/records/feed?provider_config_key=crm&connection_id=nobody`);
  expect(unknown.status).toBe(400);
});

test("a live stream has changes as they come, and continues after Last-Event-ID", async () => {
  await save("Contact", ["1"]);
  const stream = await listen();
  const first = await stream.next();
  await save("Contact", ["2"]);
  const second = await stream.next();
  stream.stop();
  await save("Contact", ["3"]);

  const again = await listen("cursor=ignored", { "last-event-id": stream.lastId() });
  const third = await again.next();
  again.stop();

  expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect([first, second, third].map((event) => event && present(event))).toEqual([
    "Contact 1 ADDED",
    "Contact 2 ADDED",
    "Contact 3 ADDED",
  ]);
});

test("records removed at once are an event, and what is saved again follows it", async () => {
  await save("Contact", ["1", "2"]);
  const { cursor } = (await read()).at(-1) ?? { cursor: "" };
  await save("Contact", ["3"]);
  await clearRecords(ctx, { connection, models: ["Contact"] });
  await save("Contact", ["1"]);

  const events = await read(`cursor=${cursor}`);

  expect(events.map(present)).toEqual(["Contact removed", "Contact 1 ADDED", "end"]);
});

test("records of a deleted connection are not sent, and their removal is", async () => {
  await save("Contact", ["1"]);
  const [before] = await read();
  await save("Contact", ["2"]);
  await sql`update connections set deleted_at = now() where uuid = ${connection}`.execute(ctx.db);
  const deleted = await read();
  await eraseRecords(ctx, ctx.environment.id, [connection]);

  const erased = await read(`cursor=${before?.cursor}`);
  const afterwards = await read();

  expect(deleted.map(present)).toEqual(["end"]);
  expect(erased.map(present)).toEqual(["Contact removed", "end"]);
  expect(erased[0]).toMatchObject({ connection_id: "customer-1", provider_config_key: "crm" });
  expect(afterwards.map(present)).toEqual(["Contact removed", "end"]);
});

test("a change that is committed late is sent, though readers have passed others", async () => {
  await save("Contact", ["1"]);
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writing = app.ctx.db.transaction().execute(async (db) => {
    const lines = [Buffer.from('{"id":"late"}')];
    const batch = { connection, model: "Contact", writer, ids: ["late"], lines };
    await saveRecords({ ...ctx, db }, batch);
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  await save("Deal", ["after"]);
  const passed = await read();
  held.resolve();
  await writing;

  const rest = await read(`cursor=${passed.at(-1)?.cursor}`);

  expect(passed.map(present).toSorted()).toEqual(["Contact 1 ADDED", "Deal after ADDED", "end"]);
  expect(rest.map(present)).toEqual(["Contact late ADDED", "end"]);
});

test("entries that were joined with the time lose nothing for a reader in the middle of one", async () => {
  await save("Contact", ["1", "2", "3"]);
  await noteChanges(ctx);
  await save("Deal", ["a", "b", "c"]);
  await noteChanges(ctx);
  const cursorOf = async (id: string) =>
    (await read()).find((event) => event.type === "record" && event.record.id === id)?.cursor;
  const second = await cursorOf("2");
  await save("Contact", ["4"]);
  await noteChanges(ctx);
  app.clock.advance(8 * DAY);
  await joinOldFeedEntries(ctx);

  const rest = (await read(`cursor=${second}`)).map(present);

  const { rows } = await sql`
    select from record_feed_entries where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  expect(rows).toHaveLength(2);
  for (const each of ["Contact 3 ADDED", "Contact 4 ADDED", "Deal a ADDED", "Deal b ADDED"]) {
    expect(rest).toContain(each);
  }
});

test("a cursor from before a model went is refused once its removal is forgotten", async () => {
  await save("Contact", ["1"]);
  const [before] = await read();
  await clearRecords(ctx, { connection, models: ["Contact"] });
  await read();
  app.clock.advance(91 * DAY);
  await joinOldFeedEntries(ctx);

  const refused = await fetch(`${url}/records/feed?cursor=${before?.cursor}`);

  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: "invalid_cursor" } });
});

test("cursors that were altered, or belong to another environment, are refused", async () => {
  await save("Contact", ["1"]);
  const [own] = await read();
  const altered = own?.cursor.replace(/-\w+-/, "-zz-");
  ctx = { ...(await app.addEnvironment()), notices: channel };
  const foreign = await fetch(`${url}/records/feed?cursor=${own?.cursor}`);
  const statuses = await Promise.all(
    [altered, "x", "1-2", "-1-0-0"].map(
      async (cursor) => (await fetch(`${url}/records/feed?cursor=${cursor}`)).status,
    ),
  );

  expect(foreign.status).toBe(400);
  expect(statuses).toEqual([400, 400, 400, 400]);
});

test("cursors from before a restore are refused: a copy knows other changes", async () => {
  await save("Contact", ["1"]);
  const [before] = await read();
  await renewFeeds(ctx.db);

  const refused = await fetch(`${url}/records/feed?cursor=${before?.cursor}`);

  expect(refused.status).toBe(400);
  expect((await read()).map(present)).toEqual(["Contact 1 ADDED", "end"]);
});

test("a feed ends within seconds of the end of its key, also where its reader takes nothing", async () => {
  const { accountId, id: environmentId } = ctx.environment;
  const keyId = randomUUID();
  const wanted = { id: keyId, accountId, environmentId, displayName: "k", scopes: [] };
  await createApiKey(ctx, wanted);
  ctx = { ...ctx, actor: { kind: "key", keyId, accountId, scopes: ["environment:*"] } };
  const ids = Array.from({ length: 40 }, (_, index) => String(index));
  await save("Contact", ids, "x".repeat(1024 * 1024));
  const stuck = await listen();
  const live = await listen("from=now");
  const ending = live.next();
  await sleep(100);
  const startedAt = performance.now();

  await sql`update api_keys set deleted_at = now() where id = ${keyId}`.execute(app.ctx.db);

  expect(await ending).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(5000);
  await sleep(1500);
  let received = 0;
  // Cut off or ended: either way its client comes again.
  while ((await stuck.next().catch(() => undefined)) !== undefined) received += 1;
  expect(received).toBeLessThan(ids.length);
});

test("an environment has 20 feeds in a process at most, and a closed one makes room", async () => {
  const streams = await Promise.all(Array.from({ length: 20 }, async () => await listen()));
  const refused = await fetch(`${url}/records/feed`);
  const [first, ...rest] = streams;
  first?.stop();
  const room = async () => (await fetch(`${url}/records/feed`)).status;
  let status = await room();
  for (let look = 0; look < 50 && status !== 200; look += 1) {
    await sleep(20);
    status = await room();
  }
  for (const { stop } of rest) stop();

  expect(refused.status).toBe(429);
  expect(status).toBe(200);
});

test("a reader that takes nothing holds no connection to the database and no transaction", async () => {
  const ids = Array.from({ length: 60 }, (_, index) => String(index));
  await save("Contact", ids, "x".repeat(512 * 1024));
  const stuck = await Promise.all(Array.from({ length: 15 }, async () => await listen()));

  const countBusy = async () => {
    const { rows } = await sql<{ busy: number }>`
      select count(*)::int as busy from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and (state = 'active' or state like 'idle in transaction%')`.execute(ctx.db);
    return rows[0]?.busy;
  };
  // The system's own buffers fill first.
  let quiet = 0;
  for (let look = 0; look < 400 && quiet < 20; look += 1) {
    await sleep(20);
    quiet = (await countBusy()) === 0 ? quiet + 1 : 0;
  }
  let received = 0;
  for (const id of ids) if (present((await stuck[0]?.next()) ?? end).includes(id)) received += 1;
  for (const { stop } of stuck) stop();

  expect(quiet).toBe(20);
  expect(received).toBe(ids.length);
});
