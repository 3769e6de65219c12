import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { type TestApp, testApp } from "#testing";
import { logs } from "../index.ts";
import { recordOperation } from "../recording/record-operation.ts";

let app: TestApp;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await testApp({ slices: [logs], caller: async ({ signal }) => ({ ...ctx, signal }) });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = asUser(await app.addEnvironment());
});

function asUser(own: EnvironmentContext): EnvironmentContext {
  const user = { userId: "u", userName: "Ada", sessionId: "s", accountId: "a", scopes: [] };
  return { ...own, actor: { kind: "user", ...user, elevatedUntil: undefined } };
}

function record(own: EnvironmentContext, message: string): void {
  const startedAt = own.clock.now();
  const call = { type: "proxy", action: "call", state: "success" } as const;
  recordOperation(own, { ...call, message, startedAt });
}

async function list(query = "") {
  const url = `/logs/operations${query}`;
  const answer = await app.server.inject({ method: "GET", url });
  const { data } = answer.json<{ data: { message: string }[] }>();
  const type = answer.headers["content-type"];
  return { status: answer.statusCode, type, messages: data.map(({ message }) => message) };
}

test("browsers that read one list at once all see what had happened before they asked", async () => {
  record(ctx, "first");
  const before = await list();
  app.clock.advance(1000);
  record(ctx, "second");

  const answers = await Promise.all(Array.from({ length: 20 }, async () => await list()));

  const type = "application/json; charset=utf-8";
  expect(before).toEqual({ status: 200, type, messages: ["first"] });
  expect(answers).toEqual(
    answers.map(() => ({ status: 200, type, messages: ["second", "first"] })),
  );
});

test("lists are shared neither between environments nor between filters", async () => {
  const own = ctx;
  const other = asUser(await app.addEnvironment());
  record(own, "own");
  record(other, "other");

  const asked = [];
  for (const [caller, query] of [
    [own, ""],
    [other, ""],
    [own, "?types=sync"],
    [own, "?limit=1"],
  ] as const) {
    ctx = caller;
    asked.push(await list(query));
  }

  expect(asked.map(({ messages }) => messages)).toEqual([["own"], ["other"], [], ["own"]]);
});
