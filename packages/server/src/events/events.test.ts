import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createApiKey } from "#environments";
import { type EnvironmentContext, noNotices } from "#foundation";
import { announceChange, recordOperation } from "#logs";
import { DueChannel } from "#tasks";
import { type TestApp, testApp } from "#testing";
import { eventHub } from "./event-hub.ts";
import { events } from "./index.ts";
import { openStream } from "./open-stream.ts";
import { type StreamOptions, streamEvents } from "./stream-events.ts";

let app: TestApp;
let channel: DueChannel;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await testApp({ slices: [events], caller: async ({ signal }) => ({ ...ctx, signal }) });
  const { connectionString } = app.database;
  channel = new DueChannel({ connectionString, log: app.ctx.log });
  await vi.waitUntil(() => channel.isListening, { timeout: 10_000, interval: 10 });
  eventHub.of({ ...app.ctx, notices: channel });
});
afterAll(async () => {
  await channel[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = { ...(await app.addEnvironment()), notices: channel };
});

type Topics = Parameters<typeof openStream>[1];

/** What a stream says, one yield after the other; the first is its beginning. */
function listen(topics: Topics, options: Partial<StreamOptions> = {}) {
  const stopping = new AbortController();
  const stream = openStream(ctx, topics);
  const said = streamEvents(ctx, stopping.signal, { stream, resumedAfter: undefined, ...options });
  return { said, stop: () => stopping.abort() };
}

const namesOf = (text: string | undefined) =>
  [...(text ?? "").matchAll(/^event: ([\w-]+)$/gm)].map(([, name]) => name);

test("an operation in one process is heard by those who watch its environment, and by nobody else", async () => {
  const own = listen(["operations", "syncs", "inbox"]);
  const watched = ctx;
  ctx = { ...(await app.addEnvironment()), notices: channel };
  const other = listen(["operations", "syncs"]);
  await own.said.next();
  await other.said.next();

  const heard = own.said.next();
  const heardByOther = other.said.next();
  const startedAt = ctx.clock.now();
  const run = { type: "sync", action: "run", message: "Run", state: "success", startedAt } as const;
  recordOperation(watched, run);
  const { value } = await heard;
  other.stop();

  expect(namesOf(value ?? undefined)).toEqual(["operations", "syncs"]);
  expect(value).toMatch(/^id: \d+$/m);
  expect((await heardByOther).done).toBe(true);
});

test.each([
  { type: "admin", action: "change" },
  { type: "deploy", action: "custom" },
] as const)("an operation of type $type says that the setup has changed", async (kind) => {
  const own = listen(["setup"]);
  await own.said.next();

  const heard = own.said.next();
  recordOperation(ctx, {
    ...{ ...kind, message: "Change", state: "success", startedAt: ctx.clock.now() },
  });
  const { value } = await heard;
  own.stop();

  expect(namesOf(value ?? undefined)).toEqual(["setup"]);
});

test("topics of agents, connect links and revocations are heard, each apart", async () => {
  const topics = ["agents", "connect-links", "revocations"] as const;
  const own = listen(topics);
  await own.said.next();

  const heard: unknown[] = [];
  for (const topic of topics) {
    const next = own.said.next();
    announceChange(ctx, ctx.environment.id, topic);
    heard.push(namesOf((await next).value ?? undefined));
  }
  own.stop();

  expect(heard).toEqual(topics.map((topic) => [topic]));
});

test("a stream that is taken up again names what was missed, and all where that was too long ago", async () => {
  const heardAt = app.clock.now().getTime();
  app.clock.advance(10_000);
  const { said: listening } = listen(["problems"]);
  await listening.next();
  const heard = listening.next();
  announceChange(ctx, ctx.environment.id, "problems");
  await heard;
  await listening.return(undefined);

  const missed = listen(["connections", "problems"], { resumedAfter: heardAt + 5000 });
  const tooOld = listen(["connections", "problems"], { resumedAfter: heardAt - 3_600_000 });
  await missed.said.next();
  await tooOld.said.next();
  const some = await missed.said.next();
  const all = await tooOld.said.next();
  for (const { said } of [missed, tooOld]) await said.return(undefined);

  expect(namesOf(some.value ?? undefined)).toEqual(["problems"]);
  expect(namesOf(all.value ?? undefined).toSorted()).toEqual(["connections", "problems"]);
});

test("a stream ends within a second of its key's end, by whichever process that was done", async () => {
  const { accountId, id: environmentId } = ctx.environment;
  const keyId = randomUUID();
  const wanted = { id: keyId, accountId, environmentId, displayName: "k", scopes: [] };
  await createApiKey(ctx, wanted);
  const key = { kind: "key", keyId, accountId, scopes: ["environment:*"] } as const;
  ctx = { ...ctx, actor: key };
  const { said } = listen(["operations"]);
  await said.next();
  const next = said.next();
  const endedAt = performance.now();

  await sql`update api_keys set deleted_at = now() where id = ${keyId}`.execute(app.ctx.db);

  expect((await next).done).toBe(true);
  expect(performance.now() - endedAt).toBeLessThan(5000);
});

test("a stream does not outlive the time of its key", async () => {
  const expiresAt = new Date(app.clock.now().getTime() + 20);
  const key = { kind: "key", keyId: "k", accountId: "a", scopes: ["environment:*"] } as const;
  ctx = { ...ctx, actor: { ...key, expiresAt } };
  const { said } = listen(["operations"]);
  await said.next();

  expect((await said.next()).done).toBe(true);
});

test("changes while the reader is slow become one event each", async () => {
  const { said } = listen(["operations"]);
  await said.next();
  for (let n = 0; n < 3; n += 1) {
    announceChange(ctx, ctx.environment.id, "operations");
    await sleep(20);
  }

  const { value } = await said.next();
  await said.return(undefined);

  expect(namesOf(value ?? undefined)).toEqual(["operations"]);
});

test("a quiet stream has heartbeats; it ends after its time, and when the server stops", async () => {
  const quiet = listen(["operations"], { heartbeatMs: 5 });
  const short = listen(["operations"], { longestMs: 5 });
  const stopped = listen(["operations"]);
  for (const { said } of [quiet, short, stopped]) await said.next();

  const beat = await quiet.said.next();
  const over = await short.said.next();
  const ending = stopped.said.next();
  stopped.stop();

  expect(beat.value).toBe(": \n\n");
  expect(over.done).toBe(true);
  expect((await ending).done).toBe(true);
  await quiet.said.return(undefined);
});

test("where no notice arrives each topic is named from time to time", async () => {
  ctx = { ...ctx, notices: noNotices };
  const { said } = listen(["deliveries"], { deafMs: 5 });
  await said.next();

  const { value } = await said.next();
  await said.return(undefined);

  expect(namesOf(value ?? undefined)).toEqual(["deliveries"]);
});

test("an environment has 50 streams in a process; one that ends makes room", async () => {
  const open = Array.from({ length: 50 }, () => listen(["operations"]));

  expect(() => listen(["operations"])).toThrow(/as many streams/);
  const [first] = open;
  await first?.said.next();
  await first?.said.return(undefined);
  const next = listen(["operations"]);

  for (const { said } of [...open, next]) {
    await said.next();
    await said.return(undefined);
  }
});

test("a topic takes the scope of its list; unknown topics and none are refused", async () => {
  const actor = { kind: "key", keyId: "k", accountId: "a", scopes: ["environment:logs:read"] };
  ctx = { ...ctx, actor: actor as EnvironmentContext["actor"] };
  const status = async (query: string) => {
    return (await app.server.inject({ method: "GET", url: `/events${query}` })).statusCode;
  };

  expect(await status("?topics=operations,problems")).toBe(403);
  expect(await status("?topics=people")).toBe(400);
  expect(await status("")).toBe(400);
});

test("over HTTP the events come as they happen", async () => {
  const address = await app.listen();
  const answer = await fetch(`${address}/events?topics=problems`, {
    headers: { "last-event-id": "1" },
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (reader !== undefined && !text.includes("event: problems")) {
    text += (await reader.read()).value ?? "";
  }
  await reader?.cancel();

  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(text).toMatch(/^retry: 1000\n/);
});
