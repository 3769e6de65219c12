import { defineRoute } from "@jackfield/contract";
import { Agent, request } from "undici";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError, createLogger } from "#foundation";
import { createHttpServer, serveRoutes } from "#foundation/http";
import { ServerStates } from "../../server-state.ts";

let now = 0;
let asked = 0;
let refuses = true;

const routes = {
  take: defineRoute({
    method: "POST",
    path: "/things/{name}",
    summary: "Take",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: ["too_many_request"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
};

const server = await createHttpServer({
  routes: serveRoutes(routes, {
    take: async (_ctx, _input, { reply }) => {
      asked += 1;
      if (!refuses) return reply.send("taken");
      const headers = { "Retry-After": "7" };
      throw new AppError("too_many_request", "Later.", { headers, repeats: true });
    },
  }),
  authorize: async () => ({ state: new ServerStates() }) as never,
  bodyLimitBytes: 1000,
  log: createLogger("silent"),
  clock: { now: () => new Date(now) },
  newErrorId: () => "id",
});
const agent = new Agent({ connections: 1 });

let url: string;

beforeAll(async () => {
  url = await server.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await agent.close();
  await server.close();
});
beforeEach(() => {
  // Later than any answer that was kept.
  now += 60_000;
  asked = 0;
  refuses = true;
});

async function send(path: string, body = "{}") {
  const headers = { "content-type": "application/json" };
  const answer = await request(url + path, { method: "POST", dispatcher: agent, headers, body });
  const { "retry-after": wait, "content-type": type } = answer.headers;
  return { status: answer.statusCode, wait, type, text: await answer.body.text() };
}

test("a refusal that holds for anyone is repeated for a moment, regardless of what is sent", async () => {
  const first = await send("/things/a");
  // More than a connection's buffers hold: it has to be read past before the next request.
  const others = [await send("/things/a?x=1", "x".repeat(2_000_000)), await send("/things/a")];

  expect(first).toMatchObject({ status: 429, wait: "7" });
  expect(JSON.parse(first.text)).toEqual({
    error: { code: "too_many_request", message: "Later." },
  });
  expect(others).toEqual([first, first]);
  expect(asked).toBe(1);
});

test("other paths are asked for, and the same one again a moment later", async () => {
  await send("/things/a");
  refuses = false;

  const neighbour = await send("/things/b");
  const within = await send("/things/a");
  now += 1000;
  const later = await send("/things/a");

  expect([neighbour, within, later].map(({ status }) => status)).toEqual([200, 429, 200]);
});

test("a flood of ever new paths takes bounded memory and is still refused", async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 1200; n += 1) statuses.add((await send(`/things/${n}`)).status);
  const asksAgain = asked;
  await send("/things/1199");
  const afterLast = asked;
  await send("/things/0");

  expect([...statuses]).toEqual([429]);
  expect(afterLast).toBe(asksAgain);
  expect(asked).toBe(asksAgain + 1);
});
