import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnection, deleteConnection } from "#connections";
import { DAY, HOUR } from "#foundation";
import { getIntegration, type Integration } from "#integrations";
import { type ConnectServer, startConnectServer } from "../testing/connect-server.ts";

let server: ConnectServer;
beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function call(
  as: string | undefined,
  method: "GET" | "POST" | "DELETE",
  url: string,
  payload?: object,
) {
  const answer = await server.call({ method, url, ...(as && { as }), ...(payload && { payload }) });
  return { status: answer.status, body: answer.text === "" ? undefined : JSON.parse(answer.text) };
}

const tags = { end_user_id: "u1", end_user_display_name: "Ada Quay" };

async function newLink(body: object = {}) {
  const { body: made } = await call("dev", "POST", "/connect/links", { tags, ...body });
  const { link, url } = made.data;
  return { link, url, token: String(url).split("#")[1] };
}

const stateOf = async (id: string) => {
  const { body } = await call("dev", "GET", "/connect/links");
  return body.data.find((link: { id: string }) => link.id === id);
};

test("opening a link spends nothing; only its use begins a session, as often as it may", async () => {
  const { link, token, url } = await newLink({ max_uses: 2, note: "for Ada" });
  const open = async () => await call(undefined, "POST", "/connect/links/open", { token });
  const use = async () => await call(undefined, "POST", "/connect/links/use", { token });

  for (let n = 0; n < 5; n += 1) await open();
  const opened = await open();
  const uses = await Promise.all([use(), use(), use(), use()]);
  const listed = await stateOf(link.id);

  expect(url).toMatch(/\/connect\/l\/#[\w-]{43}$/);
  expect(opened.body.data).toMatchObject({
    asks_for: "Ada Quay",
    uses_left: 2,
    integrations: null,
  });
  expect(uses.map(({ status }) => status).toSorted()).toEqual([200, 200, 404, 404]);
  const [used] = uses.filter(({ status }) => status === 200);
  const session = new URL(used?.body.data.connect_link).searchParams.get("session_token");
  const described = await call(session ?? "", "GET", "/connect/session");
  expect(described.body.data.endUser).toMatchObject({ id: "u1" });
  expect(listed).toMatchObject({ state: "used_up", uses: 2, note: "for Ada" });
  expect((await open()).status).toBe(404);
});

test("a use whose session is refused is not lost", async () => {
  await using small = await startConnectServer({ settings: { maxConnections: 1 } });
  const ask = async (method: "GET" | "POST", url: string, payload?: object) => {
    const answer = await small.call({ method, url, as: "dev", ...(payload && { payload }) });
    return { status: answer.status, body: JSON.parse(answer.text) };
  };
  const made = await ask("POST", "/connect/links", { tags, max_uses: 1 });
  const token = String(made.body.data.url).split("#")[1];
  const { ctx } = small.installation;
  const integration = await getIntegration(ctx, "keyed");
  await createConnection(ctx, connectionOf(integration, { connectionId: "full", owner: tags }));

  const refused = await ask("POST", "/connect/links/use", { token });
  const listed = await ask("GET", "/connect/links");
  await deleteConnection(ctx, { integration, connectionId: "full" });
  const used = await ask("POST", "/connect/links/use", { token });
  const again = await ask("POST", "/connect/links/use", { token });

  expect(refused.body.error.code).toBe("resource_capped");
  expect(listed.body.data).toMatchObject([{ state: "open", uses: 0, last_used_at: null }]);
  expect([used.status, again.status]).toEqual([200, 404]);
});

test("of 20 uses at once of a link for one, one begins a session", async () => {
  const { link, token } = await newLink({ max_uses: 1 });
  const countSessions = async () =>
    (await call("dev", "GET", "/connect/sessions")).body.data.length;
  const before = await countSessions();

  const uses = await Promise.all(
    Array.from({ length: 20 }, async () =>
      call(undefined, "POST", "/connect/links/use", { token }),
    ),
  );

  expect(uses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(uses.filter(({ status }) => status === 404)).toHaveLength(19);
  expect(await stateOf(link.id)).toMatchObject({ state: "used_up", uses: 1 });
  expect(await countSessions()).toBe(before + 1);
});

test("a link ends when it is revoked and when its time is over, with the same words", async () => {
  const revoked = await newLink();
  const short = await newLink({ expires_in_seconds: 3600 });
  const unknown = await call(undefined, "POST", "/connect/links/open", { token: "x".repeat(43) });

  const revoking = await call("dev", "DELETE", `/connect/links/${revoked.link.id}`);
  const ofOther = await call("other", "DELETE", `/connect/links/${short.link.id}`);
  server.installation.clock.advance(HOUR);
  const ends = await Promise.all(
    [revoked, short].map(
      async ({ token }) => await call(undefined, "POST", "/connect/links/use", { token }),
    ),
  );

  expect([revoking.status, ofOther.status]).toEqual([204, 404]);
  expect(ends.map(({ status, body }) => [status, body.error.message])).toEqual([
    [404, unknown.body.error.message],
    [404, unknown.body.error.message],
  ]);
  expect(await stateOf(revoked.link.id)).toMatchObject({ state: "revoked" });
  expect(await stateOf(short.link.id)).toMatchObject({ state: "expired", uses: 0 });
});

test("bounds of a link, and tags that it needs", async () => {
  const bodies = [
    { tags: {} },
    { tags, max_uses: 0 },
    { tags, max_uses: 101 },
    { tags, expires_in_seconds: 3599 },
    { tags, expires_in_seconds: 30 * (DAY / 1000) + 1 },
    { tags, allowed_integrations: ["nothing-of-the-kind"] },
  ];
  const answers = await Promise.all(
    bodies.map(async (body) => await call("dev", "POST", "/connect/links", body)),
  );

  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 400));
});

test("its page can be framed by nobody and loads nothing of others", async () => {
  const page = await server.call({ url: "/connect/l/" });

  expect(page.status).toBe(200);
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(page.headers["referrer-policy"]).toBe("no-referrer");
});

test("a link with a code begins nothing without it, and ten wrong ones revoke it", async () => {
  const plain = await newLink();
  const created = await call("dev", "POST", "/connect/links", { tags, with_code: true });
  const { link, code, url } = created.body.data;
  const token = String(url).split("#")[1];
  const other = await call("dev", "POST", "/connect/links", { tags, with_code: true });
  const wrong = code === "000000" ? "000001" : "000000";
  const use = async (body: object) =>
    await call(undefined, "POST", "/connect/links/use", { token, ...body });

  const opened = await call(undefined, "POST", "/connect/links/open", { token });
  const without = await use({});
  const malformed = await use({ code: "12345" });
  const first = await use({ code: wrong });
  const right = await use({ code });
  const spent = await use({ code });
  const others = await Promise.all(
    Array.from({ length: 20 }, async () =>
      call(undefined, "POST", "/connect/links/use", {
        token: String(other.body.data.url).split("#")[1],
        code: other.body.data.code === "000000" ? "000001" : "000000",
      }),
    ),
  );
  const late = await call(undefined, "POST", "/connect/links/use", {
    token: String(other.body.data.url).split("#")[1],
    code: other.body.data.code,
  });

  expect(code).toMatch(/^\d{6}$/);
  expect(link.needs_code).toBe(true);
  expect(plain.link.needs_code).toBe(false);
  expect(opened.body.data.needs_code).toBe(true);
  expect([without.status, malformed.status, right.status, spent.status]).toEqual([
    403, 400, 200, 404,
  ]);
  expect(first.body.error.message).toBe("That is not the link's code; 9 tries are left.");
  expect(others.filter(({ status }) => status === 403)).toHaveLength(9);
  expect(late.status).toBe(404);
  expect(await stateOf(other.body.data.link.id)).toMatchObject({ state: "revoked", uses: 0 });
});

test("a link's language is that of its page and of its sessions", async () => {
  const created = await call("dev", "POST", "/connect/links", { tags, language: "ja" });
  const token = String(created.body.data.url).split("#")[1];

  const opened = await call(undefined, "POST", "/connect/links/open", { token });
  const used = await call(undefined, "POST", "/connect/links/use", { token });
  const sessionToken = new URL(used.body.data.connect_link).searchParams.get("session_token") ?? "";
  const session = await call(sessionToken, "GET", "/connect/session");
  const unknown = await call("dev", "POST", "/connect/links", { tags, language: "tlh" });

  expect(opened.body.data.language).toBe("ja");
  expect(opened.body.data.connectUISettings).toEqual(session.body.data.connectUISettings);
  expect(session.body.data.language).toBe("ja");
  expect(unknown.status).toBe(400);
});

async function connect(connectionId: string, owner: Record<string, string>) {
  const { ctx } = server.installation;
  const integration = await getIntegration(ctx, "keyed");
  await createConnection(ctx, connectionOf(integration, { connectionId, owner }));
}

function connectionOf(
  integration: Integration,
  { connectionId, owner }: { connectionId: string; owner: Record<string, string> },
) {
  return {
    ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
    ...{ tags: owner, webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: "k" },
  } as const;
}

test("a session to manage shows, renews and deletes the connections of its end user, and no others", async () => {
  await connect("own", tags);
  await connect("foreign", { end_user_id: "u2" });
  const session = await call("dev", "POST", "/connect/sessions", { tags, purpose: "manage" });
  const { token } = session.body.data;
  const other = await call("dev", "POST", "/connect/sessions", {
    tags: { end_user_id: "u2" },
    purpose: "manage",
  });

  const own = await call(token, "GET", "/connect/connections");
  const foreign = await call(other.body.data.token, "GET", "/connect/connections");
  const [{ id }] = own.body.data;
  const path = `/connect/connections/${id}`;
  const stolen = await call(other.body.data.token, "DELETE", path);
  const stolenToo = await call(other.body.data.token, "POST", `${path}/reconnect`);
  const renewal = await call(token, "POST", `${path}/reconnect`);
  const deleted = await call(token, "DELETE", path);

  expect(own.body.data).toMatchObject([
    { provider_config_key: "keyed", state: "ok", models: [], withdrawable: false },
  ]);
  expect(session.body.data.connect_link).toBe(
    `http://127.0.0.1:3003/connect/manage/#session_token=${token}`,
  );
  expect(foreign.body.data).toHaveLength(1);
  expect([stolen.status, stolenToo.status]).toEqual([404, 404]);
  expect(renewal.body.data.connect_link).toContain("session_token=");
  expect(deleted.status).toBe(204);
  expect((await call(token, "GET", "/connect/connections")).body.data).toEqual([]);
  expect((await call(other.body.data.token, "GET", "/connect/connections")).body.data).toHaveLength(
    1,
  );
});

test("a session to connect manages nothing, one to manage connects nothing and needs an owner", async () => {
  const connecting = await call("dev", "POST", "/connect/sessions", { tags });
  const managing = await call("dev", "POST", "/connect/sessions", { tags, purpose: "manage" });
  const nobodys = await call("dev", "POST", "/connect/sessions", {
    tags: { team: "sales" },
    purpose: "manage",
  });

  const listed = await call(connecting.body.data.token, "GET", "/connect/connections");
  const path = `/api-auth/api-key/keyed?connect_session_token=${managing.body.data.token}`;
  const made = await call(managing.body.data.token, "POST", path, { apiKey: "k" });

  expect(listed.body.error.code).toBe("forbidden");
  expect(made.body.error.code).toBe("integration_not_allowed");
  expect(nobodys.status).toBe(400);
});
