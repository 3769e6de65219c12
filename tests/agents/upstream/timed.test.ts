import { setTimeout as sleep } from "node:timers/promises";
import { startMcpServer } from "@jackfield/simulator";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { agents } from "../../../packages/server/src/agents/index.ts";
import { HOUR, MINUTE } from "../../../packages/server/src/foundation/index.ts";
import type { DueWork } from "../../../packages/server/src/tasks/index.ts";
import { type Answer, startUpstreamApp, type UpstreamApp } from "./upstream-app.ts";

/** After this time a list is read again, whether or not anybody uses it. */
const LATEST_MS = 12 * MINUTE;

const [createTimedRefresh] = agents.due;

let upstream: UpstreamApp;

beforeAll(async () => {
  upstream = await startUpstreamApp({
    mcpLimits: { callMs: 20_000, idleMs: 3000, answerBytes: 2 * 1024 * 1024 },
  });
});
beforeEach(async () => {
  await sql`delete from agent_upstream_lists`.execute(upstream.app.ctx.db);
  await upstream.enter();
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
});

/** As a server does all that is due. */
async function workUntilIdle(work: DueWork = createTimedRefresh()): Promise<void> {
  for (;;) {
    const { claimed } = await work.claim(upstream.app.ctx, () => {});
    await work.drain?.();
    if (claimed === 0) return;
  }
}

async function allowAll(): Promise<void> {
  const answer = await upstream.api("PUT", "/agent/upstreams/desk/allow", { allow: "all" });
  expect(answer).toMatchObject({ status: 200 });
}

const listsAsked = () => upstream.desk.asked.filter((each) => each.startsWith("tools/list")).length;

async function readDesk(): Promise<Answer> {
  return (await upstream.api("GET", "/agent/upstreams/desk")).data;
}

test("a tool that its server changes is hidden and reported although nobody uses it", async () => {
  await upstream.connect("ada-desk", "ada");
  await upstream.api("PATCH", "/environment/webhooks", { primary_url: "https://hooks.example/x" });
  await allowAll();
  upstream.desk.behave({ rug_pull: true });

  upstream.app.clock.advance(9 * MINUTE);
  await workUntilIdle();
  const before = await readDesk();
  upstream.app.clock.advance(3 * MINUTE);
  await workUntilIdle();
  const after = await readDesk();
  const { data: sent } = await upstream.api("GET", "/webhooks/deliveries?type=agent_tool_changed");
  const asked = listsAsked();
  const { list } = await upstream.begin();
  const listed = await list();

  expect(before.tools).toMatchObject({ allowed: 4, changed: 0 });
  expect(after.tools).toMatchObject({ allowed: 3, changed: 1 });
  expect(sent).toHaveLength(1);
  expect(listed).not.toContain("desk__search_tickets");
  expect(listed).toContain("desk__create_ticket");
  // The list was up to date when it was used.
  expect(listsAsked()).toBe(asked);
});

test("a server that does not answer is asked less and less, and its last list holds", async () => {
  await upstream.connect("ada-desk", "ada");
  await allowAll();
  upstream.desk.behave({ list: "status_500" });
  const asked = listsAsked();

  let elapsedMs = 0;
  while (elapsedMs < 24 * HOUR) {
    upstream.app.clock.advance(5 * MINUTE);
    elapsedMs += 5 * MINUTE;
    await workUntilIdle();
  }
  const failed = await readDesk();
  const whileDown = listsAsked() - asked;
  upstream.desk.behave({ list: "normal" });
  upstream.app.clock.advance(6 * HOUR);
  await workUntilIdle();
  const healed = await readDesk();

  // Once when it is due, then after 5, 10, 20, 40, 80, 160, 320 and each 360 minutes.
  expect(whileDown).toBeGreaterThanOrEqual(7);
  expect(whileDown).toBeLessThanOrEqual(11);
  expect(failed).toMatchObject({ failure: expect.any(String), tools: { allowed: 4 } });
  expect(healed.failure).toBeNull();
});

test("forty connections of a server that answers nothing do not hold the server of another environment", async () => {
  await using silent = await startMcpServer();
  silent.behave({ list: "silent" });
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    const unique_key = `silent-${number}`;
    await upstream.api("POST", "/integrations", { unique_key, provider: "mcp-api-key" });
    for (const end of ["a", "b", "c", "d"]) {
      const made = await upstream.api("POST", "/connections", {
        ...{ provider_config_key: unique_key, connection_id: `${unique_key}-${end}` },
        connection_config: { mcp_server_url: silent.url },
        credentials: { type: "API_KEY", apiKey: silent.key },
      });
      expect(made.status).toBe(201);
    }
  }
  const { db, environment } = upstream.ctx;
  await sql`
    insert into agent_upstream_lists (connection_uuid, environment_id, integration_id, server_url, is_public, tools,
           expires_at, refresh_at)
    select uuid, environment_id, integration_id, ${silent.url}, false, '{}', '2020-01-01', '2020-01-01'
      from connections where environment_id = ${environment.id}`.execute(db);
  await upstream.enter();
  await upstream.connect("ada-desk", "ada");
  upstream.app.clock.advance(LATEST_MS);
  const now = upstream.app.clock.now().toISOString();

  const work = createTimedRefresh();
  const startedAt = performance.now();
  while ((await readDesk()).refreshed_at !== now && performance.now() - startedAt < 20_000) {
    await work.claim(upstream.app.ctx, () => {});
    await sleep(20);
  }
  const mostAtOnce = silent.asked.filter((each) => each === "tools/list").length;
  const { refreshed_at: refreshedAt } = await readDesk();
  await work.drain?.();

  expect(refreshedAt).toBe(now);
  // It was read while the silent ones, which are due for longer, still waited for their answers.
  expect(mostAtOnce).toBeGreaterThan(2);
  expect(mostAtOnce).toBeLessThanOrEqual(16);
});

test("what belongs to no connection any more is not asked for, nor are credentials that are frozen", async () => {
  await upstream.connect("ada-desk", "ada");
  await upstream.connect("bob-desk", "bob");
  const { db, environment } = upstream.ctx;
  await upstream.api("DELETE", "/connections/ada-desk?provider_config_key=desk");
  const asked = listsAsked();
  await sql`
    update connections set frozen_at = now(), frozen_by = gen_random_uuid()
     where environment_id = ${environment.id} and connection_id = 'bob-desk'`.execute(db);

  upstream.app.clock.advance(LATEST_MS);
  await workUntilIdle();
  const { rows } = await sql`
    select connection_uuid from agent_upstream_lists where environment_id = ${environment.id}`.execute(
    db,
  );

  expect(listsAsked()).toBe(asked);
  expect(rows).toHaveLength(1);
});
