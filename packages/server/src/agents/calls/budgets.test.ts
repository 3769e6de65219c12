import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY } from "#foundation";
import { type OauthApp, startOauthApp } from "../testing/oauth-app.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
let raw: RawOauth;
beforeAll(async () => {
  app = await startOauthApp();
  raw = new RawOauth(app);
  await app.deploy("read", "return Math.random();", "read");
  await app.deploy("write", "return Math.random();", "write");
  await app.deploy("long", 'return "word ".repeat(1000);', "read");
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function begin(toolset: string, budget: object = {}) {
  const made = await app.api("POST", "/agent/sessions", {
    ...{ toolset, end_user_id: "ada", budget },
  });
  return made.body.data;
}

type Session = Awaited<ReturnType<typeof begin>>;

/** Undefined for a call that was made. */
async function codeOf({ mcp_url: url, token }: Session, name: string): Promise<unknown> {
  const { body } = await raw.tool(url, token, name);
  const { isError, content } = body.result;
  return isError === true ? JSON.parse(content[0].text) : undefined;
}

test("a day's budget is that of the end user, in any session, and comes back the next day", async () => {
  await app.putToolset("daily", { budget: { calls_per_day: 6, writes_per_day: 2 } });
  const sessions = [await begin("daily"), await begin("daily", { calls_per_day: 1000 })];

  const writes = await Promise.all(
    sessions.flatMap((session) =>
      Array.from({ length: 5 }, async () => await codeOf(session, "crm__write")),
    ),
  );
  const reads = await Promise.all(
    sessions.flatMap((session) =>
      Array.from({ length: 5 }, async () => await codeOf(session, "crm__read")),
    ),
  );
  app.app.clock.advance(DAY);
  const tomorrow = await codeOf(await begin("daily"), "crm__write");

  expect(writes.filter((code) => code === undefined)).toHaveLength(2);
  expect(reads.filter((code) => code === undefined)).toHaveLength(4);
  const midnight = `${app.app.clock.now().toISOString().slice(0, 10)}T00:00:00.000Z`;
  expect(reads.find((code) => code !== undefined)).toMatchObject({
    ...{ code: "budget_exhausted", resets_at: midnight },
    message: "The user has reached the limit of 6 calls a day.",
  });
  expect(tomorrow).toBeUndefined();
});

test("a call that its session may not make takes nothing of the day", async () => {
  await app.putToolset("both", { budget: { calls_per_day: 3 } });
  const spent = await begin("both", { calls: 1 });
  for (let n = 0; n < 4; n += 1) await codeOf(spent, "crm__read");
  const other = await begin("both");

  const left = [];
  for (let n = 0; n < 3; n += 1) left.push(await codeOf(other, "crm__read"));

  expect(left).toEqual([
    undefined,
    undefined,
    expect.objectContaining({ code: "budget_exhausted" }),
  ]);
});

test("results have a budget of tokens, and the call that reaches it is the last", async () => {
  await app.putToolset("tokens", { budget: { result_tokens: 2000 } });
  const session = await begin("tokens");

  const first = await codeOf(session, "crm__long");
  const second = await codeOf(session, "crm__long");
  const third = await codeOf(session, "crm__read");
  const { body } = await app.api("GET", `/agent/sessions/${session.id}`);

  expect([first, second]).toEqual([undefined, undefined]);
  expect(third).toMatchObject({
    code: "budget_exhausted",
    message: "The results of the session may take 2000 tokens and have taken them.",
  });
  expect(body.data.used).toMatchObject({ calls: 2 });
  expect(body.data.used.result_tokens).toBeGreaterThan(2 * 1300);
});
