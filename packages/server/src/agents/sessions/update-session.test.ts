import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR } from "#foundation";
import { type OauthApp, startOauthApp } from "../testing/oauth-app.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
beforeAll(async () => {
  app = await startOauthApp();
  await app.deploy("read", "return 2;", "read");
  await app.deploy("write", "return 3;", "write");
  await app.putToolset("helper");
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function begin(body: object = {}) {
  const made = await app.api("POST", "/agent/sessions", {
    ...{ toolset: "helper", end_user_id: "ada" },
    ...body,
  });
  return made.body.data;
}

test("a session that is open may less from then on, and never more", async () => {
  const session = await begin({ budget: { calls: 5 }, policy: { actions: ["read", "write"] } });
  const path = `/agent/sessions/${session.id}`;

  const narrowed = await app.api("PATCH", path, {
    ...{ policy: { effects: ["read"] }, budget: { calls: 2, writes: 0 } },
  });
  const widened = await app.api("PATCH", path, {
    ...{ policy: { effects: ["read", "write"] }, budget: { calls: 100 } },
  });
  const nothing = await app.api("PATCH", path, { policy: { actions: ["other"] } });
  const { body } = await new RawOauth(app).tool(session.mcp_url, session.token, "crm__write");

  expect(narrowed.body.data).toMatchObject({
    policy: { effects: ["read"], actions: ["read", "write"] },
    budget: { calls: 2, writes: 0 },
  });
  expect(widened.body.data).toMatchObject({
    ...{ policy: { effects: ["read"] }, budget: { calls: 2, writes: 0 } },
  });
  expect(nothing.status).toBe(400);
  expect(JSON.parse(body.result.content[0].text).code).toBe("unknown_tool");
});

test("of changes at once all hold", async () => {
  const { id } = await begin();
  const change = async (body: object) => await app.api("PATCH", `/agent/sessions/${id}`, body);

  await Promise.all([
    ...[change({ policy: { effects: ["read"] } }), change({ policy: { actions: ["read"] } })],
    ...[change({ budget: { calls: 3 } }), change({ policy: { integrations: ["crm"] } })],
  ]);
  const { body } = await app.api("GET", `/agent/sessions/${id}`);

  expect(body.data).toMatchObject({
    ...{ budget: { calls: 3 } },
    policy: { effects: ["read"], actions: ["read"], integrations: ["crm"] },
  });
});

test("its end moves; what a client was allowed gets only shorter, and what has ended stays so", async () => {
  const { id } = await begin();
  const raw = new RawOauth(app);
  const { mcp_url: url } = await app.putToolset("clients");
  await raw.letIn(url);
  const { body: listed } = await app.api("GET", "/agent/sessions?limit=20");
  const client = listed.data.find(({ toolset }: { toolset: string }) => toolset === "clients");
  const change = { expires_in_seconds: 24 * 3600 };

  const longer = await app.api("PATCH", `/agent/sessions/${id}`, change);
  const shorter = await app.api("PATCH", `/agent/sessions/${client.id}`, change);
  const kept = await app.api("PATCH", `/agent/sessions/${client.id}`, {
    expires_in_seconds: 60,
  });
  const again = await app.api("PATCH", `/agent/sessions/${client.id}`, change);
  await app.api("DELETE", `/agent/sessions/${id}`);
  const ended = await app.api("PATCH", `/agent/sessions/${id}`, change);

  const day = new Date(app.app.clock.now().getTime() + 24 * HOUR).toISOString();
  expect(longer.body.data.expires_at).toBe(day);
  expect(shorter.body.data.expires_at).toBe(day);
  expect(again.body.data.expires_at).toBe(kept.body.data.expires_at);
  expect(ended.status).toBe(404);
});
