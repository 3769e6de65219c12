import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, HOUR } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getConnectionByUuid } from "./read/get-connection.ts";
import { getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { type Prepared, prepareConnection } from "./testing/refreshing-connection.ts";
import { type Answer, startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
  await sql`
    update webhook_settings set primary_url = 'https://example.com/hook', on_auth_creation = false`.execute(
    ctx.db,
  );
});
afterAll(async () => await installation[Symbol.asyncDispose]());

const oauthError = (status: number, error: string): Answer => ({ status, body: { error } });
const page: string = "<html><body>Something went wrong.</body></html>";

/** What a token endpoint answers, and the code that callers without a usable token get for it. */
const table: [string, Answer, string][] = [
  ["invalid_grant", oauthError(400, "invalid_grant"), "invalid_credentials"],
  ["invalid_grant with 401", oauthError(401, "invalid_grant"), "invalid_credentials"],
  ["access_denied", oauthError(400, "access_denied"), "invalid_credentials"],
  ["consent_required", oauthError(400, "consent_required"), "invalid_credentials"],
  ["interaction_required", oauthError(400, "interaction_required"), "invalid_credentials"],
  ["login_required", oauthError(401, "login_required"), "invalid_credentials"],
  ["refresh_token_expired", oauthError(400, "refresh_token_expired"), "invalid_credentials"],
  ["invalid_client", oauthError(401, "invalid_client"), "integration_misconfigured"],
  ["unauthorized_client", oauthError(400, "unauthorized_client"), "integration_misconfigured"],
  ["unsupported_grant", oauthError(400, "unsupported_grant_type"), "integration_misconfigured"],
  ["invalid_scope", oauthError(400, "invalid_scope"), "integration_misconfigured"],
  ["invalid_request", oauthError(400, "invalid_request"), "integration_misconfigured"],
  ["use_dpop_nonce", oauthError(400, "use_dpop_nonce"), "integration_misconfigured"],
  [
    "a token bound to a proof",
    { status: 200, body: { access_token: "a", token_type: "DPoP", expires_in: 3600 } },
    "integration_misconfigured",
  ],
  ["404", { status: 404, body: page }, "integration_misconfigured"],
  ["no token, for long", { status: 200, body: { ok: true } }, "integration_misconfigured"],
  ["a cut connection", { status: 0, body: "" }, "connection_refresh_backoff"],
  ["408", { status: 408, body: "" }, "connection_refresh_backoff"],
  ["425", { status: 425, body: "" }, "connection_refresh_backoff"],
  ["429", oauthError(429, "rate_limited"), "connection_refresh_backoff"],
  ["500", oauthError(500, "server_error"), "connection_refresh_backoff"],
  ["502 with a page", { status: 502, body: page }, "connection_refresh_backoff"],
  ["503 naming another error", oauthError(503, "invalid_grant"), "connection_refresh_backoff"],
  ["unavailable", oauthError(400, "temporarily_unavailable"), "connection_refresh_backoff"],
  ["slow_down", oauthError(400, "slow_down"), "connection_refresh_backoff"],
  ["a page with 200", { status: 200, body: page }, "connection_refresh_backoff"],
  ["an empty 200", { status: 200, body: "" }, "connection_refresh_backoff"],
  [
    "half of a JSON text",
    { status: 200, body: '{"access_token": "x' },
    "connection_refresh_backoff",
  ],
];

test("the table has 25 rows or more", () => {
  expect(table.length).toBeGreaterThanOrEqual(25);
});

test.each(table)("ten days of %s", async (_name, answer, code) => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const isTerminal = code === "invalid_credentials";
  server.answerWith(answer);

  for (let hour = 0; hour < 240; hour += 6) {
    await fetchNow(prepared).catch(() => undefined);
    installation.clock.advance(6 * HOUR);
  }
  await expect(fetchNow(prepared)).rejects.toMatchObject({ code });
  const asked = server.requests.length;
  server.answerWith(undefined);
  await waitOutBackoff(prepared);

  expect(asked).toBe(isTerminal ? 1 : 41);
  expect(await countWebhooks(prepared)).toBe(isTerminal ? 1 : 0);
  const { refresh, errors } = await reload(prepared);
  expect(refresh.needsReauthorizationAt !== undefined).toBe(isTerminal);
  expect(errors).toHaveLength(isTerminal ? 1 : 0);
  if (isTerminal) await expect(fetchNow(prepared)).rejects.toMatchObject({ code });
  else expect((await fetchNow(prepared)).credentials["access_token"]).toBe("access-1");
});

test("a success without a token passes for a hiccup three times", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 200, body: { ok: true } });
  const codes: string[] = [];

  for (let round = 1; round <= 4; round += 1) {
    const failure = await fetchNow(prepared).catch((error: { code: string }) => error);
    codes.push("code" in failure ? failure.code : "");
    await waitOutBackoff(prepared);
  }

  expect(codes).toEqual([
    "connection_refresh_backoff",
    "connection_refresh_backoff",
    "connection_refresh_backoff",
    "integration_misconfigured",
  ]);
});

test("a corrected integration is tried at once, without waiting for the back-off", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith(oauthError(401, "invalid_client"));
  await expect(fetchNow(prepared)).rejects.toMatchObject({ code: "integration_misconfigured" });
  server.answerWith(undefined);

  await expect(fetchNow(prepared)).rejects.toMatchObject({ code: "integration_misconfigured" });
  installation.clock.advance(1);
  const integration = { ...prepared.integration, updatedAt: ctx.clock.now() };
  const { credentials } = await fetchNow({ ...prepared, integration });

  expect(credentials["access_token"]).toBe("access-1");
});

async function fetchNow(prepared: Prepared) {
  const connection = await reload(prepared);
  return await getFreshCredentials(ctx, { ...prepared, connection, force: false });
}

async function reload({ connection }: Prepared) {
  return await getConnectionByUuid(ctx, connection.uuid);
}

async function waitOutBackoff(prepared: Prepared): Promise<void> {
  const { refresh } = await reload(prepared);
  const waitMs = (refresh.notBefore?.getTime() ?? 0) - ctx.clock.now().getTime();
  if (waitMs > 0) installation.clock.advance(waitMs);
}

async function countWebhooks({ connection }: Prepared): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_deliveries
     where type = 'auth' and connection_uuid = ${connection.uuid}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}
