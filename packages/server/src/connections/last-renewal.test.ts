import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnection, getFreshCredentials, listConnections } from "#connections";
import { addMs, DAY, type EnvironmentContext, HOUR, MINUTE, SECOND } from "#foundation";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { type Prepared, prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

async function lastRenewalOf({ connection }: Pick<Prepared, "connection">) {
  const { rows } = await sql<{ reauthorizeBy: Date | null }>`
    select reauthorize_by from connections where uuid = ${connection.uuid}`.execute(ctx.db);
  return rows[0]?.reauthorizeBy ?? null;
}

/** Refreshes with what the token endpoint answers. */
async function refresh(prepared: Prepared): Promise<void> {
  const [found] = await listConnections(ctx, { connectionId: prepared.connection.connectionId });
  if (found === undefined) throw new Error("the connection is gone");
  await getFreshCredentials(ctx, { ...prepared, connection: found.connection, force: true });
}

test("a token that came without a refresh token has to be authorized again when it expires", async () => {
  const expiresAt = addMs(ctx.clock.now(), HOUR);
  const prepared = await prepareConnection(ctx, {
    tokenUrl: "http://127.0.0.1:9",
    expiresIn: 3600,
  });
  const { connection } = await createConnection(ctx, {
    ...{ integration: prepared.integration, connectionId: undefined, metadata: undefined },
    ...{ connectionConfig: undefined, tags: undefined, webhookUrlOverride: undefined },
    credentials: { type: "OAUTH2", access_token: "a", expires_at: expiresAt.toISOString() },
  });

  expect(await lastRenewalOf({ connection })).toEqual(expiresAt);
  expect(await lastRenewalOf(prepared)).toBeNull();
});

test("the end of a refresh token is what the provider says, until it says otherwise", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: 3600 });
  const answer = async (body: object) => {
    server.answerWith({ status: 200, body: { access_token: "a", expires_in: 3600, ...body } });
    await refresh(prepared);
    return await lastRenewalOf(prepared);
  };

  const stated = await answer({ refresh_token: "r-1", refresh_token_expires_in: 86_400 });
  const same = await answer({});
  const another = await answer({ refresh_token: "r-2" });
  const inText = await answer({ refresh_token: "r-3", refresh_expires_in: "3600" });

  const soon = (at: Date | null) => (at?.getTime() ?? 0) - ctx.clock.now().getTime();
  expect(Math.abs(soon(stated) - DAY)).toBeLessThan(MINUTE);
  expect(same).toEqual(stated);
  expect(another).toBeNull();
  expect(Math.abs(soon(inText) - HOUR)).toBeLessThan(30 * SECOND);
});

const MANY = 3000;
const FEW = 5;

test("lists by last renewal and by last use read only what they show", async () => {
  const other = await installation.addEnvironment();
  await sql`
    with integration as (
      insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
      values (${other.environment.id}, 'many', 'unauthenticated', now(), now()) returning id)
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at,
       reauthorize_by, last_used_on)
    select gen_random_uuid(), ${other.environment.id}, id, 'c-' || n, 'OAUTH2', ''::bytea,
           now() - interval '9000 days', now(), now() + n * interval '1 day', current_date - ${MANY}::int + n
      from integration, generate_series(1, ${MANY}) n`.execute(other.db);
  await sql`analyze connections`.execute(other.db);
  const now = ctx.clock.now();
  const listings = [
    { reauthorizeBefore: addMs(now, FEW * DAY + HOUR), limit: 100 },
    { unusedSince: addMs(now, -(MANY - FEW) * DAY), limit: 100 },
  ];

  const reads = [];
  for (const listing of listings) {
    let listed = 0;
    const read = async (ctx: EnvironmentContext) => {
      listed = (await listConnections(ctx, listing)).length;
    };
    reads.push(await countReads(other, "connections", read));
    expect(listed).toBeGreaterThan(0);
    expect(listed).toBeLessThan(2 * FEW);
  }

  for (const read of reads) expect(read).toBeLessThan(10 * FEW);
});
