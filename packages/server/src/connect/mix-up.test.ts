import { afterAll, beforeAll, expect, test } from "vitest";
import type { OidcServer } from "#auth-modes/testing";
import type { ConnectServer } from "./testing/connect-server.ts";
import { type Begun, begin, createSession, resultOf } from "./testing/end-user.ts";
import { countConnections } from "./testing/store.ts";
import {
  approve,
  CALLBACK,
  type Query,
  startTwoServers,
  type TwoServers,
} from "./testing/two-servers.ts";

let servers: TwoServers;
let server: ConnectServer;
let honest: OidcServer;
let evil: OidcServer;
let comeBack: TwoServers["comeBack"];

beforeAll(async () => {
  servers = await startTwoServers();
  ({ server, honest, evil, comeBack } = servers);
});
afterAll(async () => await servers[Symbol.asyncDispose]());

async function expectNoConnection(
  work: () => Promise<{ status: number; text: string }>,
  type: RegExp,
): Promise<void> {
  const before = await countConnections(server);

  const page = await work();

  expect(page.status).toBe(400);
  expect(page.text).toMatch(type);
  expect(await countConnections(server)).toBe(before);
}

test("the flow that nobody disturbs makes a connection", async () => {
  const begun = await begin(server, { key: "honest" });
  const query = await approve(honest, begun);

  const page = await comeBack(query, begun.cookie);

  expect(query["iss"]).toBe(honest.issuer);
  expect(page.status).toBe(200);
});

type Mix = (given: { begun: Begun; query: Query }) => Promise<Query | string> | Query | string;

const without = (query: Query, name: string): Query =>
  Object.fromEntries(Object.entries(query).filter(([key]) => key !== name));
const text = (query: Query): string => new URLSearchParams(query).toString();

const mixes: Readonly<Record<string, Mix>> = {
  "the issuer of the other server": ({ query }) => ({ ...query, iss: evil.issuer }),
  "no issuer": ({ query }) => without(query, "iss"),
  "an empty issuer": ({ query }) => ({ ...query, iss: "" }),
  "an issuer with a slash": ({ query }) => ({ ...query, iss: `${honest.issuer}/` }),
  "an issuer with a path": ({ query }) => ({ ...query, iss: `${honest.issuer}/auth` }),
  "an issuer with a query": ({ query }) => ({ ...query, iss: `${honest.issuer}?` }),
  "an issuer with a fragment": ({ query }) => ({ ...query, iss: `${honest.issuer}#` }),
  "an issuer with a user": ({ query }) => ({
    ...query,
    iss: honest.issuer.replace("http://", "http://a@"),
  }),
  "an issuer of another scheme": ({ query }) => ({
    ...query,
    iss: honest.issuer.replace("http:", "https:"),
  }),
  "an issuer in capitals": ({ query }) => ({ ...query, iss: honest.issuer.toUpperCase() }),
  "an issuer with a space": ({ query }) => ({ ...query, iss: ` ${honest.issuer}` }),
  "an issuer with a line break": ({ query }) => ({ ...query, iss: `${honest.issuer}\n` }),
  "an issuer encoded twice": ({ query }) => ({
    ...query,
    iss: encodeURIComponent(honest.issuer),
  }),
  "an issuer that another name spells": ({ query }) => ({
    ...query,
    iss: honest.issuer.replace("127.0.0.1", "localhost"),
  }),
  "an issuer next to another one": ({ query }) =>
    `${text(query)}&iss=${encodeURIComponent(evil.issuer)}`,
  "an issuer in a list": ({ query }) =>
    `${text(without(query, "iss"))}&iss[]=${encodeURIComponent(honest.issuer)}`,
  "an issuer under a name in capitals": ({ query }) => ({
    ...without(query, "iss"),
    ISS: honest.issuer,
  }),
  "a code of the other server": async ({ begun, query }) => {
    const other = await begin(server, { key: "evil" });
    const { code = "" } = await approve(evil, other);
    return { ...query, code, state: begun.state, iss: evil.issuer };
  },
  "a denial of the other server": ({ query }) => ({
    state: query["state"] ?? "",
    error: "access_denied",
    iss: evil.issuer,
  }),
  "a denial without an issuer": ({ query }) => ({
    state: query["state"] ?? "",
    error: "access_denied",
  }),
};

test.each(Object.entries(mixes))("mix-up: %s ends the attempt", async (_what, mix) => {
  const begun = await begin(server, { key: "honest" });
  const query = await approve(honest, begun);

  await expectNoConnection(
    async () => await comeBack(await mix({ begun, query }), begun.cookie),
    /issuer_mismatch/,
  );
});

test("mix-up: a server that sends the user on to the honest one gets no code of it", async () => {
  const begun = await begin(server, { key: "evil" });
  const forwarded = new URL(begun.location.href.replace(evil.issuer, honest.issuer));
  const query = await honest.authorize(forwarded.href, CALLBACK);

  await expectNoConnection(async () => await comeBack(query, begun.cookie), /issuer_mismatch/);
});

test.each(["honest", "loose"])(
  "a code of another attempt at %s fails for its verifier",
  async (key) => {
    const attacker = await begin(server, { key });
    const { code = "" } = await approve(honest, attacker);
    const victim = await begin(server, { key });
    const query = await approve(honest, victim);

    await expectNoConnection(
      async () => await comeBack({ ...query, code }, victim.cookie),
      /token_request_failed/,
    );
  },
);

test.each([
  ["another attempt of the session", "dev", "loose", true],
  ["another session", "dev", "loose", false],
  ["another integration of the same client", "dev", "honest", false],
  ["another environment", "other", "loose", false],
] as const)("a state swapped with that of %s spends no code", async (_what, as, key, isSame) => {
  const victim = await begin(server, { key: "loose" });
  const token = isSame ? victim.token : await createSession(server, {}, as);
  const attacker = await begin(server, { key, token });
  const query = await approve(honest, victim);
  const before = await countConnections(server);

  const swapped = await comeBack({ ...query, state: attacker.state }, victim.cookie);
  const mixed = await comeBack({ ...query, state: attacker.state }, attacker.cookie);

  expect([swapped.status, mixed.status]).toEqual([400, 400]);
  expect(swapped.text).toMatch(/state_cookie_err/);
  expect(await countConnections(server)).toBe(before);
});

const downgrades = [
  "code_challenge_method=plain",
  "code_challenge=x",
  "Code_Challenge=x",
  "CODE_CHALLENGE_METHOD=plain",
  "code_challenge%20=x",
  "code.challenge=x",
  "code%20challenge=x",
  "code_challenge%5B%5D=x",
  "code_challenge%00=x",
  "state=fixed",
  "state%5B0%5D=fixed",
  "redirect_uri=https://evil.example",
  "redirect.uri=https://evil.example",
  "%20redirect_uri=https://evil.example",
  "client_id=evil",
  "client.id=evil",
  "response_type=token",
  "nonce=fixed",
  "request=eyJhbGciOiJub25lIn0.e30.",
  "request_uri=https://evil.example/request",
  "Request.Uri=https://evil.example/request",
  "code_challenge=undefined",
  "state=undefined",
];

test.each(downgrades)(
  "the end user's %s does not reach the authorization server",
  async (parameter) => {
    const [name = "", value = ""] = parameter.split("=");
    const token = await createSession(server);

    const answer = await server.call({
      url: `/oauth/connect/honest?connect_session_token=${token}&authorization_params[${name}]=${value}`,
    });

    // A name with brackets of its own is no parameter of this form, and is left out.
    const location = String(answer.headers["location"] ?? "");
    const sent = location === "" ? undefined : new URL(location).searchParams;
    if (sent === undefined) expect(answer.status).toBe(400);
    else {
      expect([...sent.keys()].filter((key) => /[[\0 .]/.test(key))).toEqual([]);
      expect(sent.get("code_challenge_method")).toBe("S256");
      expect(sent.get("code_challenge")).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(sent.get("state")).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(sent.get("redirect_uri")).toBe(CALLBACK);
      expect(sent.get("client_id")).toBe("client");
    }
  },
);

test("what an authorization address already says gives way to the server's own", async () => {
  const begun = await begin(server, { key: "downgraded" });
  const { searchParams } = begun.location;

  expect(searchParams.getAll("code_challenge_method")).toEqual(["S256"]);
  expect(searchParams.getAll("code_challenge")).toHaveLength(1);
  expect(searchParams.getAll("state")).toEqual([begun.state]);
  expect(searchParams.getAll("redirect_uri")).toEqual([CALLBACK]);
  expect((await comeBack(await approve(honest, begun), begun.cookie)).status).toBe(200);
});

test("a request whose challenge was taken out on the way gets no code", async () => {
  const begun = await begin(server, { key: "honest" });
  const { location } = begun;
  location.searchParams.delete("code_challenge");
  location.searchParams.delete("code_challenge_method");

  const query = await approve(honest, begun);

  expect(query["code"]).toBeUndefined();
  await expectNoConnection(async () => await comeBack(query, begun.cookie), /invalid_callback/);
});

test("a challenge that the attacker put in its place makes no connection", async () => {
  const begun = await begin(server, { key: "honest" });
  begun.location.searchParams.set("code_challenge", "A".repeat(43));

  const query = await approve(honest, begun);

  await expectNoConnection(async () => await comeBack(query, begun.cookie), /token_request_failed/);
});

test("attempts share neither state, verifier nor cookie, and no answer shows a verifier", async () => {
  const token = await createSession(server);
  const all = await Promise.all(
    Array.from({ length: 10 }, async () => await begin(server, { key: "honest", token })),
  );

  for (const pick of [
    ({ state }: Begun) => state,
    ({ cookie }: Begun) => cookie,
    ({ location }: Begun) => location.searchParams.get("code_challenge"),
  ]) {
    expect(new Set(all.map(pick)).size).toBe(10);
  }
  expect(all.map(({ location }) => location.searchParams.has("code_verifier"))).not.toContain(true);
});

test("an answer and a denial of one state that race have one outcome", async () => {
  const begun = await begin(server, { key: "honest" });
  const query = await approve(honest, begun);
  const denial = { state: begun.state, error: "access_denied", iss: honest.issuer };
  const before = await countConnections(server);

  const pages = await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      comeBack(turn % 2 === 0 ? query : denial, begun.cookie),
    ),
  );
  const { state } = await resultOf(server, begun.token);

  const made = pages.filter(({ status }) => status === 200).length;
  expect(made).toBeLessThanOrEqual(1);
  expect(pages.filter(({ text }) => text.includes("state_err"))).toHaveLength(19);
  expect(await countConnections(server)).toBe(before + made);
  expect(state).toBe(made === 1 ? "success" : "error");
});

test("two browsers that exchange their callbacks get nothing, and neither does a third", async () => {
  const one = await begin(server, { key: "honest" });
  const two = await begin(server, { key: "honest" });
  const [first, second] = [await approve(honest, one), await approve(honest, two)];
  const before = await countConnections(server);

  const pages = [
    await comeBack(first, two.cookie),
    await comeBack(second, one.cookie),
    await comeBack(first, one.cookie),
    await comeBack(second, undefined),
  ];

  expect(pages.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(pages.slice(0, 2).every(({ text }) => text.includes("state_cookie_err"))).toBe(true);
  expect(await countConnections(server)).toBe(before);
});

test("a browser with the cookies of several attempts finishes each of them", async () => {
  const one = await begin(server, { key: "honest" });
  const two = await begin(server, { key: "loose" });
  const cookies = `${two.cookie}; other=1; ${one.cookie}`;

  const pages = [
    await comeBack(await approve(honest, one), cookies),
    await comeBack(await approve(honest, two), cookies),
  ];

  expect(pages.map(({ status }) => status)).toEqual([200, 200]);
});

test("the address for installations finishes no attempt twice", async () => {
  const begun = await begin(server, { key: "honest" });
  const query = await approve(honest, begun);
  const before = await countConnections(server);
  const url = `/app-auth/connect?${text({ ...query, installation_id: "1" })}`;

  const pages = await Promise.all([
    server.call({ url, cookie: begun.cookie }),
    comeBack(query, begun.cookie),
  ]);

  expect(pages.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  expect(await countConnections(server)).toBeLessThanOrEqual(before + 1);
});
