import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startRotatingServer } from "#connections/testing";
import { type EnvironmentContext, HOUR, MINUTE, SECOND } from "#foundation";
import type { Answer, TestApp } from "#testing";
import { type FakeOldPlatform, startFakeOldPlatform } from "./testing/fake-old-platform.ts";
import { addCrm, refreshAt, startMovingApp } from "./testing/moving-app.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let provider: Awaited<ReturnType<typeof startRotatingServer>>;
let old: FakeOldPlatform;
let settings: { revoke_on_delete?: boolean } | undefined;

beforeAll(async () => {
  app = await startMovingApp(async ({ signal }) => ({ ...ctx, signal }));
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  settings = undefined;
  provider = await startRotatingServer({ expiresIn: 3600 });
  old = await startFakeOldPlatform({
    now: () => ctx.clock.now(),
    get settings() {
      return settings;
    },
    refresh: async (row) => await refreshAt(provider.tokenUrl, row, ctx.clock.now()),
  });
  await addCrm(ctx, provider.tokenUrl);
  return async () => {
    await old[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
});

function inMs(ms: number): Date {
  return new Date(ctx.clock.now().getTime() + ms);
}

async function call(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  url: string,
  payload?: object,
): Promise<{ status: number; body: Answer; text: string }> {
  const answer = await app.server.inject({ method, url, ...(payload && { payload }) });
  const body = answer.body === "" ? undefined : answer.json();
  return { status: answer.statusCode, body, text: answer.body };
}

/** The old platform, with one connection `ada` that is read through. */
async function prepare({ expiresAt = inMs(HOUR) }: { expiresAt?: Date } = {}): Promise<string> {
  old.add({
    ...{ key: "crm", id: "ada", accessToken: "access-0", refreshToken: "refresh-0", expiresAt },
    more: { metadata: { plan: "pro" }, tags: { team: "sales" }, connection_config: {} },
  });
  const { url, key } = old;
  const added = await call("POST", "/old-platforms", { name: "nango", url, secret_key: key });
  expect(added.status, added.text).toBe(201);
  const { id } = added.body.data;
  const imported = await call("POST", `/old-platforms/${id}/connections`, named);
  expect(imported.status, imported.text).toBe(201);
  expect(imported.body.data).toMatchObject({ ...named, state: "read_through", refusal: null });
  return id;
}

const named = { provider_config_key: "crm", connection_id: "ada" };
const read = async (query = "") =>
  await call("GET", `/connections/ada?provider_config_key=crm${query}`);
const handOver = async (id: string, more: object = {}) =>
  await call("POST", `/old-platforms/${id}/hand-over`, { connections: [named], ...more });
const handBack = async (id: string) =>
  await call("POST", `/old-platforms/${id}/hand-back`, { connections: [named] });

test("tokens are read through: the old platform refreshes them, and no refresh token is stored here", async () => {
  const id = await prepare();

  const first = await read("&refresh_token=true");
  app.clock.advance(50 * MINUTE);
  const second = await read("&refresh_token=true");
  const again = await read();
  const forced = await read("&force_refresh=true");
  const kept = await sql<{ next: Date | null }>`
    select next_refresh_at as next from connections where connection_id = 'ada' and environment_id = ${ctx.environment.id}`.execute(
    ctx.db.withoutPlugins(),
  );
  const platforms = await call("GET", "/old-platforms");

  expect(first.body).toMatchObject({
    ...{ read_through: id, metadata: { plan: "pro" }, tags: { team: "sales" } },
    credentials: { access_token: "access-0" },
  });
  expect(second.body.credentials.access_token).toBe("access-1");
  expect(again.body.credentials.access_token).toBe("access-1");
  expect(forced.body.credentials.access_token).toBe("access-2");
  expect(first.text + second.text).not.toContain("refresh-");
  expect(kept.rows).toEqual([{ next: null }]);
  expect(provider.requests).toEqual(["refresh-0", "refresh-1"]);
  expect(platforms.body.data).toMatchObject([
    { id, name: "nango", url: old.url, connections: { read_through: 1, handed_over: 0 } },
  ]);
  expect(platforms.text).not.toContain(old.key);
});

test("while the old platform is down its last token is used, and then there is a clear error", async () => {
  await prepare();
  old.answer = { status: 503 };

  app.clock.advance(50 * MINUTE);
  const cached = await read();
  app.clock.advance(11 * MINUTE);
  const expired = await read();
  const calls = old.calls.length;
  const held = await read();
  const heldBack = old.calls.length - calls;
  old.answer = undefined;
  app.clock.advance(2 * MINUTE);
  const back = await read();

  expect(cached.body.credentials.access_token).toBe("access-0");
  expect(expired).toMatchObject({
    status: 424,
    body: { error: { code: "connection_refresh_backoff" } },
  });
  expect(expired.body.error.message).toContain("the old platform did not renew them");
  expect(expired.body.error.message).toContain("nango answered 503");
  expect(held.status).toBe(424);
  expect(heldBack).toBe(0);
  expect(back.body.credentials.access_token).toBe("access-1");
});

test("an old platform that never answers holds nobody up", async () => {
  await prepare();
  old.answer = "hang";
  app.clock.advance(61 * MINUTE);
  ctx = { ...ctx, settings: { ...ctx.settings, refreshPatienceMs: 300 } };

  const begun = performance.now();
  const hung = await read();

  expect(hung).toMatchObject({ status: 503, body: { error: { code: "refresh_in_progress" } } });
  expect(performance.now() - begun).toBeLessThan(5 * SECOND);
});

test("a hand-over deletes the connection there, and then this server refreshes", async () => {
  const id = await prepare();

  const dry = await call("GET", `/old-platforms/${id}/connections?state=handed_over`);
  const done = await handOver(id);
  const repeated = await handOver(id);
  app.clock.advance(50 * MINUTE);
  const renewed = await read();
  const report = await call("GET", `/old-platforms/${id}/connections`);
  const forgotten = await call("DELETE", `/old-platforms/${id}`);

  expect(dry.body.data).toEqual([]);
  expect(done.body, done.text).toMatchObject({
    data: [{ ...named, state: "handed_over", old_side: "deleted", is_done: true, refusal: null }],
    remaining: 0,
  });
  expect(repeated.body.data).toMatchObject([{ is_done: true }]);
  expect(old.rows.size).toBe(0);
  expect(renewed.body).toMatchObject({
    ...{ read_through: null, credentials: { access_token: "access-1" } },
  });
  expect(provider.requests).toEqual(["refresh-0"]);
  expect(report.body.data).toMatchObject([{ state: "handed_over" }]);
  expect(forgotten.status).toBe(204);
});

test("a token that is about to expire is renewed there first, so that nothing there renews it meanwhile", async () => {
  const id = await prepare({ expiresAt: inMs(18 * MINUTE) });

  const done = await handOver(id);
  app.clock.advance(50 * MINUTE);
  const renewed = await read();

  expect(done.body.data).toMatchObject([{ is_done: true }]);
  expect(renewed.body.credentials.access_token).toBe("access-2");
  expect(provider.requests).toEqual(["refresh-0", "refresh-1"]);
});

test("a connection that is in use there, that cannot be deleted, or whose tokens would be withdrawn is refused", async () => {
  const id = await prepare();
  let reads = 0;
  old.before = async (call) => {
    reads += call === "GET /connections/ada" ? 1 : 0;
    if (reads === 2) await old.refreshNow("crm", "ada");
  };
  const busy = await handOver(id);
  old.before = async () => {};
  old.deletion = { status: 403, body: { error: { code: "forbidden" } } };
  const forbidden = await handOver(id);
  old.deletion = { status: 200, body: { success: false } };
  const listed = await handOver(id);
  const between = await call("GET", `/old-platforms/${id}/connections?refused=true`);
  const kept = await call("DELETE", `/old-platforms/${id}`);
  old.deletion = undefined;
  const done = await handOver(id);

  const codes = [busy, forbidden, listed].map(({ body }) => body.data[0].refusal.code);
  expect(codes).toEqual(["old_side_refreshing", "deletion_refused", "not_deleted"]);
  expect(busy.body.data).toMatchObject([{ is_done: false, state: "read_through" }]);
  expect(forbidden.body.data).toMatchObject([{ is_done: false, state: "read_through" }]);
  expect(between.body.data).toMatchObject([{ state: "handing_over" }]);
  expect(kept.body.error.code).toBe("conflict");
  expect(done.body.data).toMatchObject([{ is_done: true, refusal: null }]);
  expect(provider.requests).toEqual(["refresh-0"]);
});

test("an old platform that would withdraw the tokens is not asked to delete", async () => {
  settings = {};
  const id = await prepare();

  const refused = await handOver(id);
  const rows = old.rows.size;
  settings = { revoke_on_delete: false };
  const done = await handOver(id);

  expect(refused.body.data[0].refusal.code).toBe("old_side_withdraws");
  expect(rows).toBe(1);
  expect(done.body.data[0].is_done).toBe(true);
});

test("who confirms that the old side has stopped keeps the connection there", async () => {
  const id = await prepare();

  const done = await handOver(id, { old_side: "stopped" });
  app.clock.advance(50 * MINUTE);
  const renewed = await read();
  // Its refresh token there is an old one now: it must not come back into use.
  const back = await handBack(id);
  app.clock.advance(50 * MINUTE);
  const through = await read();

  expect(done.body.data).toMatchObject([{ is_done: true, old_side: "stopped" }]);
  expect(renewed.body.credentials.access_token).toBe("access-1");
  expect(back.body.data).toMatchObject([{ is_done: true, state: "read_through", old_side: null }]);
  expect(old.rows.get("crm/ada")?.more).toMatchObject({ metadata: { plan: "pro" } });
  expect(through.body).toMatchObject({
    read_through: id,
    credentials: { access_token: "access-2" },
  });
  expect(provider.requests).toEqual(["refresh-0", "refresh-1"]);
});

test("a process that dies between the deletion and its end leaves tokens that are used by one side", async () => {
  const id = await prepare();
  const whole = ctx;
  const dying = (point: string) => ({
    ...whole,
    failpoints: {
      hit: (name: string) => {
        if (name === point) throw new Error("killed");
      },
    },
  });

  ctx = dying("hand_over.begun");
  const begun = await handOver(id);
  ctx = whole;
  app.clock.advance(61 * MINUTE);
  const resumed = await read();
  ctx = dying("hand_back.begun");
  const back = await handBack(id);
  ctx = whole;
  const through = await handBack(id);
  ctx = dying("hand_over.deleted");
  const deleted = await handOver(id);
  ctx = whole;
  app.clock.advance(61 * MINUTE);
  const done = await read();

  expect(begun.body.data).toMatchObject([{ is_done: false, state: "handing_over" }]);
  expect(resumed.body).toMatchObject({ read_through: null });
  expect(back.body.data).toMatchObject([{ is_done: false, state: "handing_back" }]);
  expect(through.body.data).toMatchObject([{ is_done: true, state: "read_through" }]);
  expect(deleted.body.data).toMatchObject([{ is_done: false, state: "handing_over" }]);
  expect(done.body).toMatchObject({ read_through: null });
  expect(new Set(provider.requests).size).toBe(provider.requests.length);
});

test("an import that the old platform refuses leaves the connection here", async () => {
  const id = await prepare();
  await handOver(id);
  old.before = async (call) => {
    old.answer = call === "POST /connections" ? { status: 400, body: {} } : undefined;
  };

  const refused = await handBack(id);
  old.before = async () => {};
  old.answer = undefined;
  app.clock.advance(50 * MINUTE);
  const renewed = await read();

  expect(refused.body.data).toMatchObject([
    { is_done: false, state: "handed_over", refusal: { code: "import_refused" } },
  ]);
  expect(renewed.body).toMatchObject({
    read_through: null,
    credentials: { access_token: "access-1" },
  });
});

test("a connection that is deleted here keeps its tokens, and one that connects here is this server's own", async () => {
  const id = await prepare();
  const credentials = { type: "OAUTH2", access_token: "own", refresh_token: "own-refresh" };

  await call("POST", "/connections", { ...named, credentials });
  const own = await call("GET", `/old-platforms/${id}/connections`);
  const refused = await handOver(id);
  await call("DELETE", "/connections/ada?provider_config_key=crm");
  const gone = await call("GET", `/old-platforms/${id}/connections`);

  expect(own.body.data).toMatchObject([{ state: "reauthorized" }]);
  expect(refused.body.data[0].refusal.code).toBe("wrong_state");
  expect(gone.body.data).toEqual([]);
  expect(old.rows.size).toBe(1);
});

test("connections are chosen by a filter, those that were never refused first", async () => {
  const id = await prepare();
  for (const name of ["bo", "cy"]) {
    app.clock.advance(SECOND);
    old.add({
      ...{ key: "crm", id: name, accessToken: `access-${name}`, refreshToken: undefined },
      expiresAt: undefined,
    });
    const body = { provider_config_key: "crm", connection_id: name };
    await call("POST", `/old-platforms/${id}/connections`, body);
  }
  old.rows.delete("crm/ada");

  const first = await call("POST", `/old-platforms/${id}/hand-over`, { limit: 1 });
  const second = await call("POST", `/old-platforms/${id}/hand-over`, {
    ...{ provider_config_key: "crm", limit: 2 },
  });
  const report = await call("GET", `/old-platforms/${id}/connections?limit=2`);
  const rest = await call(
    "GET",
    `/old-platforms/${id}/connections?limit=2&cursor=${report.body.next_cursor}`,
  );

  expect(first.body).toMatchObject({
    data: [{ connection_id: "ada", is_done: false }],
    remaining: 2,
  });
  expect(second.body.remaining).toBe(1);
  expect(second.body.data.map((each: Answer) => each.connection_id).toSorted()).toEqual([
    "bo",
    "cy",
  ]);
  expect(second.body.data).toMatchObject([
    { is_done: true, old_side: "unchanged" },
    { is_done: true, old_side: "unchanged" },
  ]);
  const all = [...report.body.data, ...rest.body.data];
  expect(all.map((each: Answer) => each.connection_id)).toHaveLength(3);
  expect(rest.body.next_cursor).toBeNull();
});

test("a copy in quarantine moves nothing, and environments do not see each other's old platforms", async () => {
  const id = await prepare();
  const whole = ctx;

  ctx = {
    ...whole,
    settings: {
      ...whole.settings,
      quarantine: { ...whole.settings.quarantine, since: new Date() },
    },
  };
  const copy = await handOver(id);
  ctx = await app.addEnvironment();
  const foreign = await call("GET", `/old-platforms/${id}`);
  const list = await call("GET", "/old-platforms");

  expect(copy.body.error.code).toBe("quarantined");
  expect(foreign.status).toBe(404);
  expect(list.body.data).toEqual([]);
});
