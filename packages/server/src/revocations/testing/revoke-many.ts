import { randomUUID } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { connections } from "#connections";
import { SECOND } from "#foundation";
import { createIntegration } from "#integrations";
import { type TestApp, testApp } from "#testing";
import { revocations } from "../index.ts";
import { createWithdrawWork } from "../items/withdraw-work.ts";
import { takeStep } from "../run-revocation.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** What is still held, without what the collector has not looked at. */
function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Rows whose credentials nobody can withdraw: what is looked at here is the way through them. */
async function fill(app: TestApp, count: number): Promise<void> {
  const { ctx } = app;
  const integration = await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey: `crm-${randomUUID()}`, displayName: undefined },
    ...{ forwardWebhooks: true, custom: {}, settings: {}, credentials: undefined },
    integrationConfig: { base_url: "http://127.0.0.1:9" },
  });
  await app.database.pool.query(
    `insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, metadata, tags,
                              connection_config, from_session, is_pending, credentials, last_used_on, created_at, updated_at)
     select gen_random_uuid(), $1, $2, 'c' || n, 'API_KEY', '{}', '{"team": "sales"}', '{}', false, false, 'x', $3::timestamptz, $3, $3
       from generate_series(1, $4) n`,
    [ctx.environment.id, integration.id, app.clock.now(), count],
  );
}

/** Fails where connections are not frozen before the answer, not each is reported, or the heap grows with their number. */
export async function revokeMany({
  count,
  mostHeapBytes,
}: {
  readonly count: number;
  readonly mostHeapBytes: number;
}): Promise<void> {
  await using app = await testApp({
    slices: [revocations, connections],
    caller: async ({ signal }, { ctx: outside }) => ({ ...outside, signal }),
  });
  const { ctx } = app;
  await fill(app, count);
  const before = heldBytes();
  const startedAt = performance.now();

  const begun = await app.server.inject({
    ...{ method: "POST", url: "/revocations" },
    payload: { match: { tags: { team: "sales" } } },
  });
  const answeredMs = performance.now() - startedAt;
  const { id, matched } = begun.json().data;
  const { rows: frozen } = await app.database.pool.query(
    "select count(*)::int as count from connections where frozen_by = $1",
    [id],
  );
  const { environment: _, ...system } = ctx;
  const loop = createWithdrawWork();
  let [most, claims] = [before, 0];
  for (;;) {
    const { claimed } = await loop.claim(system, () => {});
    await loop.drain?.();
    claims += 1;
    if (claims % 200 === 0) most = Math.max(most, heldBytes());
    if (claimed > 0) continue;
    app.clock.advance(10 * SECOND);
    if ((await takeStep(ctx, id)) === undefined) break;
  }
  let [cursor, read, pages] = [undefined, 0, 0];
  do {
    const after = cursor === undefined ? "" : `&cursor=${cursor}`;
    const page = await app.server.inject({
      ...{ method: "GET", url: `/revocations/${id}/connections?limit=500${after}` },
    });
    const { data, next_cursor: next } = page.json();
    read += data.filter(({ report }: { report: unknown }) => typeof report === "string").length;
    [cursor, pages] = [next ?? undefined, pages + 1];
  } while (cursor !== undefined);

  most = Math.max(most, heldBytes());

  expect(matched).toBe(count);
  expect(frozen[0].count).toBe(count);
  expect(answeredMs).toBeLessThan(30 * SECOND);
  expect({ read, pages }).toEqual({ read: count, pages: count / 500 });
  expect(most - before).toBeLessThan(mostHeapBytes);
}
