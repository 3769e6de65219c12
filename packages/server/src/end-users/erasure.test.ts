import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "#connect";
import type { EnvironmentContext } from "#foundation";
import { createIntegration } from "#integrations";
import { type KeyedServer, startKeyedServer } from "#testing";
import { eraseEndUser } from "./erase-end-user.ts";
import { takeStep } from "./run-erasure.ts";
import { findErasure } from "./store.ts";

let server: KeyedServer;
let ctx: EnvironmentContext;

beforeAll(async () => {
  server = await startKeyedServer({ slices: [connect] });
  ({ ctx } = server.installation);
  await createIntegration(ctx, {
    ...{ provider: "unauthenticated", uniqueKey: "crm", displayName: undefined },
    ...{ forwardWebhooks: true, integrationConfig: {}, custom: {}, settings: {} },
    credentials: undefined,
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

/** A connection, a session and a link of an end user. */
async function live(endUserId: string): Promise<void> {
  const key = await server.newKey(ctx, "environment:*");
  const tags = { end_user_id: endUserId };
  for (const path of ["/connect/sessions", "/connect/links"]) {
    const { status } = await server.call(key, "POST", path, { tags });
    expect(status).toBeLessThan(300);
  }
  const { body } = await server.call(key, "POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: `of-${endUserId}`, tags },
    credentials: { type: "NONE" },
  });
  expect(body.connection_id).toBe(`of-${endUserId}`);
}

/** Each step dies once after it has erased, and is repeated. */
async function eraseWithDeaths(endUserId: string) {
  const { id } = await eraseEndUser(ctx, endUserId);
  let deaths = 0;
  let isDying = true;
  const failpoints = {
    hit(name: string) {
      if (name !== "end-users.step_taken") return;
      isDying = !isDying;
      if (isDying) return;
      deaths += 1;
      throw new Error("the process died");
    },
  };
  const dying = { ...ctx, failpoints };
  let waitMs: number | undefined = 0;
  while (waitMs !== undefined) {
    waitMs = await takeStep(dying, id).catch(() => 0);
  }
  return { deaths, erasure: await findErasure(ctx.db, ctx.environment.id, id) };
}

test("a receipt counts what a process erased that died before it noted the step", async () => {
  await live("ada");
  await live("bea");

  const { deaths, erasure } = await eraseWithDeaths("ada");

  expect(deaths).toBeGreaterThan(8);
  expect(erasure?.endedAt).not.toBeNull();
  expect(erasure?.counts).toMatchObject({ connections: 1, connect_sessions: 1, connect_links: 1 });
});
