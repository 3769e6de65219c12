import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { type OauthApp, startOauthApp } from "../testing/oauth-app.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
beforeAll(async () => {
  app = await startOauthApp();
  await app.deploy("read", "return 2;", "read");
  await app.putToolset("helper");
});
afterAll(async () => await app[Symbol.asyncDispose]());

test("a call whose process has died does not run for ever", async () => {
  const body = { toolset: "helper", end_user_id: "ada" };
  const session = (await app.api("POST", "/agent/sessions", body)).body.data;
  await new RawOauth(app).tool(session.mcp_url, session.token, "crm__read");
  await sql`update agent_calls set outcome = 'running'`.execute(app.app.database.db);
  const list = async () =>
    (await app.api("GET", `/agent/calls?session_id=${session.id}`)).body.data;

  const before = await list();
  app.app.clock.advance(20 * MINUTE);
  const after = await list();

  expect(before).toMatchObject([{ outcome: "running", code: null }]);
  expect(after).toMatchObject([{ outcome: "failed", code: "outcome_unknown" }]);
});
