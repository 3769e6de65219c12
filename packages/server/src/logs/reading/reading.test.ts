import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  AppError,
  DAY,
  type EnvironmentContext,
  HOUR,
  newTimeId,
  type OperationId,
} from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { dropOldPartitions } from "../drop-old-partitions.ts";
import { ensureLogPartitions } from "../ensure-log-partitions.ts";
import { logMessage } from "../log-message.ts";
import { beginOperation } from "../recording/begin-operation.ts";
import { expireOperations } from "../recording/expire-operations.ts";
import { type CompleteOperation, recordOperation } from "../recording/record-operation.ts";
import { getOperation, listMessages } from "./list-messages.ts";
import { listOperationNames, type NameQuery } from "./list-operation-names.ts";
import { listOperations, type OperationQuery } from "./list-operations.ts";

let app: TestContext;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  await ensureLogPartitions(ctx);
});

function record(message: string, change: Partial<CompleteOperation> = {}): OperationId {
  const id = newTimeId<OperationId>(ctx.clock.now());
  const operation = {
    id,
    type: "sync",
    action: "run",
    message,
    state: "success",
    startedAt: ctx.clock.now(),
    ...change,
  } as CompleteOperation;
  recordOperation(ctx, operation);
  return id;
}

async function list(change: Partial<OperationQuery> = {}) {
  const query = { from: undefined, to: undefined, search: undefined, cursor: undefined };
  const found = await listOperations(ctx, { filter: {}, limit: 100, ...query, ...change });
  return { ...found, messages: found.operations.map(({ message }) => message) };
}

/** Follows cursors to the end. */
async function listAll(
  change: Partial<OperationQuery>,
): Promise<{ messages: string[]; pages: number }> {
  const messages: string[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await list({ ...change, cursor });
    messages.push(...page.messages);
    if (page.nextCursor === null) return { messages, pages };
    cursor = page.nextCursor;
  }
}

test("operations come newest first, page by page, over many days and those of one instant too", async () => {
  const names: string[] = [];
  for (let day = 0; day < 4; day += 1) {
    for (let each = 0; each < 3; each += 1) {
      names.push(`day ${day} number ${each}`);
      record(`day ${day} number ${each}`);
    }
    app.clock.advance(DAY);
    await ensureLogPartitions(ctx);
  }

  const whole = await list();
  const paged = await listAll({ limit: 2 });

  expect(whole.messages.toSorted()).toEqual(names.toSorted());
  expect(whole.messages.map((name) => name.slice(0, 5))).toEqual(
    [3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0].map((day) => `day ${day}`),
  );
  expect(paged.messages).toEqual(whole.messages);
  expect(paged.pages).toBe(6);
});

test("every filter narrows, and together they do so too", async () => {
  const integration = { id: 1, name: "crm", provider: "p" };
  const connection = { id: 2, name: "acme" };
  record("plain");
  record("of crm", { integration });
  record("of acme", { integration, connection, function: { id: 3, name: "contacts" } });
  record("failed of acme", { integration, connection, state: "failed" });
  record("an action", { type: "action", action: "run" });
  const names = async (filter: OperationQuery["filter"]) => (await list({ filter })).messages;

  expect(await names({ integrations: ["crm"] })).toHaveLength(3);
  expect(await names({ connections: ["acme", "none"] })).toHaveLength(2);
  expect(await names({ functions: ["contacts"] })).toEqual(["of acme"]);
  expect(await names({ states: ["failed"] })).toEqual(["failed of acme"]);
  expect(await names({ levels: ["error"], integrations: ["crm"] })).toEqual(["failed of acme"]);
  expect(await names({ types: ["action"] })).toEqual(["an action"]);
  expect(await names({ types: ["action:run", "sync:init"] })).toEqual(["an action"]);
  expect(await names({ connections: ["acme"], states: ["timeout"] })).toEqual([]);
});

test("the names to filter by are those of the period, most frequent first, by prefix in either case", async () => {
  const of = (name: string) => ({ connection: { id: 1, name } });
  record("long ago", of("acme-old"));
  app.clock.advance(2 * DAY);
  await ensureLogPartitions(ctx);
  for (const name of ["acme", "Acme-2", "Acme-2", "100%"]) record("run", of(name));
  record("of none");
  const names = async (change: Partial<NameQuery> = {}) =>
    (await listOperationNames(ctx, { of: "connections", limit: 10, ...change })).map(
      ({ name, count }) => `${name} ${count}`,
    );

  expect(await names({ prefix: "aC" })).toEqual(["Acme-2 2", "acme 1"]);
  expect(await names({ prefix: "%" })).toEqual([]);
  expect(await names({ limit: 1 })).toEqual(["Acme-2 2"]);
  expect(await names({ from: new Date(0), prefix: "acme-o" })).toEqual(["acme-old 1"]);
  expect(await names({ of: "functions" })).toEqual([]);
  ctx = await app.addEnvironment();
  expect(await names()).toEqual([]);
});

test("a search finds words anywhere in the time kept: in operations, errors and messages", async () => {
  record("GET /v1/contacts/list-all");
  const silent = record("nothing to see");
  logMessage(ctx, {
    operationId: silent,
    level: "info",
    source: "user",
    message: "Überweisung No. 42",
  });
  record("quiet", { state: "failed", error: { type: "script_error", message: "Invalid grant!" } });
  for (let day = 0; day < 12; day += 1) {
    app.clock.advance(DAY);
    await ensureLogPartitions(ctx);
    record(`noise ${day}`);
  }
  const found = async (search: string) => (await listAll({ search, limit: 1 })).messages;

  expect(await found("contacts")).toEqual(["GET /v1/contacts/list-all"]);
  expect(await found("contacts list")).toEqual(["GET /v1/contacts/list-all"]);
  expect(await found("list contacts")).toEqual([]);
  expect(await found("INVALID gra")).toEqual(["quiet"]);
  expect(await found("script_error")).toEqual(["quiet"]);
  expect(await found("überweisung")).toEqual(["nothing to see"]);
  expect(await found("noise")).toHaveLength(12);
  expect(await found("!?")).toEqual([]);
});

test("a period bounds list and search", async () => {
  record("early");
  app.clock.advance(2 * DAY);
  await ensureLogPartitions(ctx);
  const from = ctx.clock.now();
  record("middle");
  app.clock.advance(HOUR);
  const to = ctx.clock.now();
  record("late");

  const period = { from, to };

  expect((await list(period)).messages).toEqual(["middle"]);
  expect((await listAll({ ...period, search: "middle" })).messages).toEqual(["middle"]);
  expect((await listAll({ ...period, search: "late" })).messages).toEqual([]);
});

test("messages are read in both directions, by level and by word, and only in their environment", async () => {
  const id = record("with messages");
  for (let line = 0; line < 7; line += 1) {
    const level = line === 3 ? "error" : "info";
    logMessage(ctx, { operationId: id, level, source: "user", message: `line ${line} of it` });
  }
  const read = async (change: object = {}, as = ctx) => {
    const page = await listMessages(as, {
      operationId: id,
      levels: undefined,
      search: undefined,
      order: "asc",
      limit: 3,
      cursor: undefined,
      ...change,
    });
    return { ...page, lines: page.messages.map(({ message }) => Number(message.split(" ")[1])) };
  };

  const first = await read();
  const second = await read({ cursor: first.nextCursor });
  const back = await read({ cursor: second.previousCursor, order: "desc" });
  const last = await read({ order: "desc", limit: 2 });
  const refused = await read({}, await app.addEnvironment()).catch((error: unknown) => error);

  expect(first).toMatchObject({ lines: [0, 1, 2], previousCursor: null });
  expect(second.lines).toEqual([3, 4, 5]);
  expect(back).toMatchObject({ lines: [2, 1, 0], nextCursor: null });
  expect(last.lines).toEqual([6, 5]);
  expect((await read({ levels: ["error"] })).lines).toEqual([3]);
  expect((await read({ search: "line 5" })).lines).toEqual([5]);
  expect(refused).toMatchObject({ code: "not_found" });
});

test.for(["x", "AAAA", Buffer.from("zz.not-an-id").toString("base64url")])(
  "the cursor %s is refused",
  async (cursor) => {
    const refused = await list({ cursor }).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: "invalid_cursor" });
  },
);

test("what stays open for longer than any run ends as timeout", async () => {
  const input = { type: "sync", action: "run", message: "left alone" } as const;
  const { id } = beginOperation(ctx, input);
  await getOperation(ctx, id);
  app.clock.advance(24 * HOUR);
  await ensureLogPartitions(ctx);
  await expireOperations(ctx);
  const before = await getOperation(ctx, id);

  app.clock.advance(2 * HOUR);
  await expireOperations(ctx);

  expect(before.state).toBe("running");
  expect(await getOperation(ctx, id)).toMatchObject({ state: "timeout", level: "error" });
});

test("days past their time are dropped with all that is in them", async () => {
  const old = record("old");
  await list();
  app.clock.advance(10 * DAY);
  await ensureLogPartitions(ctx);
  const young = record("young");
  await list();
  app.clock.advance(6 * DAY);
  await ensureLogPartitions(ctx);

  await dropOldPartitions(ctx);

  expect((await list()).messages).toEqual(["young"]);
  expect(await getOperation(ctx, old).catch((error: unknown) => error)).toMatchObject({
    code: "not_found",
  });
  expect(await getOperation(ctx, young)).toMatchObject({ message: "young" });
  const limit = new Date(ctx.clock.now().getTime() - 15 * DAY).toISOString().slice(0, 10);
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname ~ '^operation(s|_messages)_[0-9]{8}$'`.execute(
    ctx.db,
  );
  const names = rows.map(({ name }) => name.slice(-8));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((day) => day < limit.replaceAll("-", ""))).toEqual([]);
});
