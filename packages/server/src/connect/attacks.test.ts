import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import {
  type CallInput,
  type ConnectServer,
  startConnectServer,
} from "./testing/connect-server.ts";
import { type Begun, begin, createSession, finish } from "./testing/end-user.ts";
import { countConnections } from "./testing/store.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

/** What the attacker has the browser send; CODE stands for a code of the victim's own flow. */
type Attack = (begun: Begun) => Promise<CallInput> | CallInput;

const callback = (query: string, cookie?: string): CallInput => ({
  url: `/oauth/callback?${query}`,
  ...(cookie === undefined ? {} : { cookie }),
});

const secretOf = (cookie: string): string => cookie.split("=")[1] ?? "";
const nameOf = (cookie: string): string => cookie.split("=")[0] ?? "";

async function useUp(token: string): Promise<void> {
  const url = `/auth/unauthenticated/open?connect_session_token=${token}`;
  for (let made = 0; made < 50; made += 1) {
    expect((await server.call({ method: "POST", url, payload: {} })).status).toBe(200);
  }
}

async function storedHashOf({ state }: Begun): Promise<string> {
  const { rows } = await sql<{ hash: Buffer }>`
    select state_hash as hash from authorization_flows order by created_at desc limit 1`.execute(
    server.installation.ctx.db,
  );
  const hash = rows[0]?.hash.toString("base64url") ?? "";
  expect(hash).not.toBe(state);
  return hash;
}

const attacks: Readonly<Record<string, Attack>> = {
  "no state": ({ cookie }) => callback("code=CODE", cookie),
  "an empty state": ({ cookie }) => callback("code=CODE&state=", cookie),
  "an altered state": ({ state, cookie }) => callback(`code=CODE&state=${state.slice(1)}A`, cookie),
  "a cut state": ({ state, cookie }) => callback(`code=CODE&state=${state.slice(0, -1)}`, cookie),
  "a longer state": ({ state, cookie }) => callback(`code=CODE&state=${state}A`, cookie),
  "a state with a space": ({ state, cookie }) => callback(`code=CODE&state=+${state}`, cookie),
  "a state in capitals": ({ state, cookie }) =>
    callback(`code=CODE&state=${state.toUpperCase()}`, cookie),
  "a repeated state": ({ state, cookie }) =>
    callback(`code=CODE&state=${state}&state=${state}`, cookie),
  "two different states": async ({ state, cookie }) =>
    callback(`code=CODE&state=${(await begin(server)).state}&state=${state}`, cookie),
  "a nested state": ({ state, cookie }) => callback(`code=CODE&state[a]=${state}`, cookie),
  "the state in the fragment only": ({ state, cookie }) =>
    callback(`code=CODE#state=${state}`, cookie),
  "the state in the cookie only": ({ state, cookie }) =>
    callback("code=CODE", `${cookie}; state=${state}`),
  "the stored hash as state": async (begun) =>
    callback(`code=CODE&state=${await storedHashOf(begun)}`, begun.cookie),
  "the session's token as state": ({ token, cookie }) =>
    callback(`code=CODE&state=${token}`, cookie),
  "a wildcard as state": ({ cookie }) => callback("code=CODE&state=%25", cookie),
  "the state of another flow of the session": async ({ token, cookie }) =>
    callback(`code=CODE&state=${(await begin(server, { token })).state}`, cookie),
  "the state of another session": async ({ cookie }) =>
    callback(`code=CODE&state=${(await begin(server)).state}`, cookie),
  "the state of another integration": async ({ cookie }) =>
    callback(`code=CODE&state=${(await begin(server, { key: "second" })).state}`, cookie),
  "the state of another environment": async ({ cookie }) => {
    const token = await createSession(server, {}, "other");
    return callback(`code=CODE&state=${(await begin(server, { token })).state}`, cookie);
  },
  "a state that was used": async (begun) => {
    await finish(server, begun);
    return callback(`code=CODE&state=${begun.state}`, begun.cookie);
  },
  "a state that failed before": async ({ state, cookie }) => {
    await server.call(callback(`error=access_denied&state=${state}`, cookie));
    return callback(`code=CODE&state=${state}`, cookie);
  },
  "an expired state": ({ state, cookie }) => {
    server.installation.clock.advance(30 * MINUTE);
    return callback(`code=CODE&state=${state}`, cookie);
  },
  "the cookie missing, as in a second browser": ({ state }) => callback(`code=CODE&state=${state}`),
  "an empty cookie": ({ state, cookie }) =>
    callback(`code=CODE&state=${state}`, `${nameOf(cookie)}=`),
  "a forged cookie of the right name": ({ state, cookie }) =>
    callback(`code=CODE&state=${state}`, `${nameOf(cookie)}=${"A".repeat(43)}`),
  "the cookie's secret altered": ({ state, cookie }) =>
    callback(
      `code=CODE&state=${state}`,
      `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`,
    ),
  "the cookie of another flow, as after a fixation": async ({ state }) =>
    callback(`code=CODE&state=${state}`, (await begin(server)).cookie),
  "the right secret under another flow's name": async ({ state, cookie }) =>
    callback(
      `code=CODE&state=${state}`,
      `${nameOf((await begin(server)).cookie)}=${secretOf(cookie)}`,
    ),
  "the cookie in the query": ({ state, cookie }) => callback(`code=CODE&state=${state}&${cookie}`),
  "no code": ({ state, cookie }) => callback(`state=${state}`, cookie),
  "an empty code": ({ state, cookie }) => callback(`code=&state=${state}`, cookie),
  "a repeated code": ({ state, cookie }) => callback(`code=CODE&code=x&state=${state}`, cookie),
  "a nested code": ({ state, cookie }) => callback(`code[a]=CODE&state=${state}`, cookie),
  "an unknown code": ({ state, cookie }) => callback(`code=unknown&state=${state}`, cookie),
  "the code of another flow": async ({ state, cookie }) => {
    const code = server.provider.approve((await begin(server)).location.href);
    return callback(`code=${code}&state=${state}`, cookie);
  },
  "a code that was spent": async ({ state, cookie }) => {
    const other = await begin(server);
    const code = server.provider.approve(other.location.href);
    await server.call(callback(`code=${code}&state=${other.state}`, other.cookie));
    return callback(`code=${code}&state=${state}`, cookie);
  },
  "an error next to a code": ({ state, cookie }) =>
    callback(`code=CODE&error=access_denied&state=${state}`, cookie),
  "an access token instead of a code": ({ state, cookie }) =>
    callback(`access_token=stolen&token_type=bearer&state=${state}`, cookie),
  "a method that changes things": ({ state, cookie }) => ({
    ...callback(`code=CODE&state=${state}`, cookie),
    method: "PUT",
  }),
  "a HEAD, as link previews send": ({ state, cookie }) => ({
    ...callback(`code=CODE&state=${state}`, cookie),
    method: "HEAD",
  }),
  "a form that was not asked for": ({ state, cookie }) => ({
    url: "/oauth/callback",
    method: "POST",
    cookie,
    form: { code: "CODE", state },
  }),
  "a form with the answer in its address": ({ state, cookie }) => ({
    ...callback(`code=CODE&state=${state}`, cookie),
    method: "POST",
    form: {},
  }),
  "a session that was ended meanwhile": async ({ token, state, cookie }) => {
    await server.call({ method: "DELETE", url: "/connect/session", as: token });
    return callback(`code=CODE&state=${state}`, cookie);
  },
  "a session that has made all its connections": async ({ token, state, cookie }) => {
    await useUp(token);
    return callback(`code=CODE&state=${state}`, cookie);
  },
};

test.each(Object.entries(attacks))(
  "a callback with %s makes no connection",
  async (_case, attack) => {
    const begun = await begin(server);
    const code = server.provider.approve(begun.location.href);
    const input = await attack(begun);
    const before = await countConnections(server);

    const answer = await server.call({
      ...input,
      url: input.url.replace("CODE", code),
      ...(input.form === undefined
        ? {}
        : {
            form: Object.fromEntries(
              Object.entries(input.form).map(([name, value]) => [
                name,
                value.replace("CODE", code),
              ]),
            ),
          }),
    });

    expect([400, 404, 405]).toContain(answer.status);
    expect(answer.headers).not.toHaveProperty("location");
    expect(await countConnections(server)).toBe(before);
  },
);

test.each([
  ["of another server", "&iss=https://evil.example"],
  ["that is missing", ""],
  ["that came twice", "&iss=https://issuer.example&iss=https://issuer.example"],
  ["with a slash more", "&iss=https://issuer.example/"],
])("an issuer %s spends no code where one is expected", async (_case, iss) => {
  const begun = await begin(server, { key: "strict" });
  const code = server.provider.approve(begun.location.href);
  const before = await countConnections(server);

  const page = await server.call(callback(`code=${code}&state=${begun.state}${iss}`, begun.cookie));

  expect(page.status).toBe(400);
  expect(page.text).toContain("issuer_mismatch");
  expect(server.provider.exchanges).not.toContain(code);
  expect(await countConnections(server)).toBe(before);
});

test("a code that a dishonest server passes on is not spent at the honest one's expense", async () => {
  const atHonest = await begin(server, { key: "strict" });
  const atDishonest = await begin(server, { key: "second" });
  const code = server.provider.approve(atHonest.location.href);
  const before = await countConnections(server);

  const page = await server.call(
    callback(`code=${code}&state=${atDishonest.state}`, atDishonest.cookie),
  );

  expect(page.status).toBe(400);
  expect(await countConnections(server)).toBe(before);
});

test("one callback that arrives a hundred times at once makes one connection", async () => {
  const begun = await begin(server);
  const code = server.provider.approve(begun.location.href);
  const before = await countConnections(server);

  const pages = await Promise.all(
    Array.from({ length: 100 }, () =>
      server.call(callback(`code=${code}&state=${begun.state}`, begun.cookie)),
    ),
  );

  expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(server.provider.exchanges.filter((exchanged) => exchanged === code)).toHaveLength(1);
  expect(await countConnections(server)).toBe(before + 1);
});

test("where the customer has switched the binding off, another browser may finish", async () => {
  const begun = await begin(server, { key: "unbound" });

  const page = await finish(server, begun, {}, "");

  expect(page.status).toBe(200);
});

test.each([
  ["redirect_uri=https://evil.example"],
  ["return_url=https://evil.example"],
  ["opener_origin=https://evil.example"],
  ["next=//evil.example"],
])("a callback's %s leads nowhere", async (parameter) => {
  const begun = await begin(server);
  const code = server.provider.approve(begun.location.href);

  const page = await server.call(
    callback(`code=${code}&state=${begun.state}&${parameter}`, begun.cookie),
  );

  expect(page.status).toBe(200);
  expect(page.headers).not.toHaveProperty("location");
  expect(page.text).not.toContain("evil.example");
});

test("line breaks in a callback reach no header", async () => {
  const begun = await begin(server);

  const page = await server.call(
    callback(`error=x%0d%0aset-cookie:%20a=b&state=${begun.state}`, begun.cookie),
  );

  expect(page.status).toBe(400);
  expect(page.headers["set-cookie"]).toMatch(/^svc-flow-[0-9a-f]{8}=; /);
});
