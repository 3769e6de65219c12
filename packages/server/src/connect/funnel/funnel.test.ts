import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY } from "#foundation";
import { type ConnectServer, startConnectServer } from "../testing/connect-server.ts";
import { begin, createSession, finish } from "../testing/end-user.ts";
import { flushStepCounts } from "./count-step.ts";
import { deleteOldStepCounts } from "./delete-old-counts.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function read(query = "") {
  const { text } = await server.call({ url: `/connect/funnel${query}`, as: "dev" });
  return JSON.parse(text).data;
}

test("a session that many tabs open at once counts once for each step", async () => {
  const token = await createSession(server, { allowed_integrations: ["oauth"] });
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      await server.call({ url: "/connect/session", as: token });
      await begin(server, { token });
    }),
  );
  const [oauth] = await read("?provider_config_key=oauth");

  expect(oauth).toMatchObject({ sessions: 1, opened: 1, chosen: 1, started: 1, completed: 0 });
});

test("a session that fails in one tab and succeeds in another is completed, with one connection of two", async () => {
  const token = await createSession(server, { allowed_integrations: ["oauth"] });
  const [before] = await read("?providerConfigKey=oauth");
  const [first, second, third] = [
    await begin(server, { token }),
    await begin(server, { token }),
    await begin(server, { token }),
  ];
  const deny = async ({ state, cookie }: typeof first) =>
    await server.call({ url: `/oauth/callback?error=access_denied&state=${state}`, cookie });
  await deny(first);
  const [failed] = await read("?provider_config_key=oauth");
  await finish(server, second);
  await deny(third);
  const [after] = await read("?provider_config_key=oauth");

  expect(failed).toMatchObject({
    failed: 1,
    failures: [{ reason: "authorization_cancelled", count: 1 }],
  });
  expect(after).toMatchObject({ completed: before.completed + 1, failed: 0, failures: [] });
});

test("counts outlive their session, without anything of it, and go after 90 days", async () => {
  const { ctx, clock } = server.installation;
  await sql`delete from connect_sessions`.execute(ctx.db);
  const steps = await sql`select from connect_session_steps`.execute(ctx.db);
  const [kept] = await read("?provider_config_key=oauth");
  await flushStepCounts(ctx);
  clock.advance(91 * DAY);
  await deleteOldStepCounts(ctx);
  const { rows } = await sql`select from connect_funnel`.execute(ctx.db);

  expect(steps.rows).toEqual([]);
  expect(kept).toMatchObject({ sessions: 2, completed: 1 });
  expect(rows).toEqual([]);
});
