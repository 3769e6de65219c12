import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type TestApp, testApp } from "#testing";
import { people } from "./slice.ts";
import {
  CLIENT,
  type IdentityProvider,
  type Person,
  startIdentityProvider,
} from "./sso/testing/identity-provider.ts";

vi.setConfig({ testTimeout: 60_000 });

let app: TestApp;
let vendor: IdentityProvider;
const redirectUris: string[] = [];
beforeAll(async () => {
  app = await testApp({
    slices: [people],
    settings: { dashboardUrl: "http://localhost:3003/dashboard", ownerEmail: "Boss@acme.example" },
    // Who may call is tried elsewhere: this is a key of the account.
    caller: async ({ signal }, { ctx }) => {
      const { environment, ...outside } = ctx;
      const { accountId } = environment;
      const actor = { kind: "key", keyId: randomUUID(), accountId, scopes: ["account:*"] } as const;
      return { ...outside, signal, actor };
    },
  });
  vendor = await startIdentityProvider(redirectUris);
});
afterAll(async () => {
  await vendor[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const usual = {
  name: "Acme",
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  group_claim: null,
  group_grants: [],
  adds_users: true,
  default_grants: [{ role: "support", environments: "all" }],
  allowed_domains: [],
  is_required: false,
};

beforeEach(async () => {
  await sql`delete from users`.execute(app.ctx.db);
});

async function send(
  method: "GET" | "POST" | "PUT" | "DELETE",
  url: string,
  given: { body?: object; cookie?: string } = {},
) {
  const headers = { origin: "http://localhost:3003", cookie: given.cookie ?? "" };
  const answer = await app.server.inject({
    method,
    url,
    headers,
    ...(given.body === undefined ? {} : { payload: given.body }),
  });
  const cookies = [answer.headers["set-cookie"] ?? []]
    .flat()
    .map((line) => line.split(";")[0] ?? "");
  return { status: answer.statusCode, headers: answer.headers, text: answer.body, cookies };
}

async function configure(change: object = {}) {
  const answer = await send("PUT", "/account/sso", {
    body: { ...usual, issuer: vendor.issuer, ...change },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const { data } = JSON.parse(answer.text);
  redirectUris.splice(0, 1, data.redirect_uri);
  return data.id as string;
}

/** The journey of a browser; answers where it ends and whether it has a session then. */
async function signIn(id: string, person: Person, change: (back: URL) => void = () => undefined) {
  const begun = await send("GET", `/auth/oidc/${id}`);
  const [cookie = ""] = begun.cookies;
  const back = new URL(await vendor.signIn(String(begun.headers["location"]), person));
  change(back);
  const ended = await send("GET", `${back.pathname}${back.search}`, { cookie });
  const target = /url=([^"]*)"/.exec(ended.text)?.[1] ?? "";
  const session = ended.cookies.find((each) => each.startsWith("jackfield="));
  return { begun, ended, target, session, cookie, back };
}

async function usersNow() {
  return JSON.parse((await send("GET", "/users")).text).data;
}

function newPerson(more: Partial<Person> = {}): Person {
  const sub = randomUUID();
  return { sub, email: `${sub}@acme.example`, email_verified: true, name: "Grace", ...more };
}

test("a person signs in with PKCE, state and nonce, becomes a user, and is the same one the next time", async () => {
  const id = await configure();
  const person = newPerson();

  const first = await signIn(id, person);
  const second = await signIn(id, { ...person, email: "renamed@acme.example" });

  const asked = new URL(String(first.begun.headers["location"])).searchParams;
  expect(asked.get("code_challenge_method")).toBe("S256");
  expect([asked.get("state"), asked.get("nonce")]).toEqual([
    expect.any(String),
    expect.any(String),
  ]);
  expect(first.begun.headers["set-cookie"]).toMatch(/HttpOnly; SameSite=Lax/);
  expect(first.ended.status).toBe(200);
  expect(first.target).toBe("http://localhost:3003/dashboard");
  expect(first.session).toMatch(/^jackfield=[\w-]{43}$/);
  expect(second.session).toBeDefined();
  expect(await usersNow()).toMatchObject([
    {
      email: person.email,
      name: "Grace",
      ways: ["sso"],
      grants: [{ role: "support", environments: "all" }],
    },
  ]);
});

test.each([
  ["another state", (back: URL) => back.searchParams.set("state", "x")],
  ["no state", (back: URL) => back.searchParams.delete("state")],
  ["another issuer", (back: URL) => back.searchParams.set("iss", "https://evil.example")],
  ["another code", (back: URL) => back.searchParams.set("code", "x")],
])("an answer with %s begins no session", async (_what, change) => {
  const id = await configure();

  const { ended, session, target } = await signIn(id, newPerson(), change);

  expect([ended.status, session]).toEqual([200, undefined]);
  expect(target).toContain("/dashboard/sign-in?error=");
  expect(await usersNow()).toEqual([]);
});

test("an answer in another browser, and the same answer twice, begin no session", async () => {
  const id = await configure();

  const { back, cookie } = await signIn(id, newPerson());
  const url = `${back.pathname}${back.search}`;
  const elsewhere = await send("GET", url);
  const again = await send("GET", url, { cookie });

  for (const answer of [elsewhere, again]) {
    expect(answer.cookies.filter((each) => each.startsWith("jackfield="))).toEqual([]);
  }
});

test("groups say what a person may do, at each sign-in, and a person without one stays out", async () => {
  const developers = {
    group: "dev",
    grants: [{ role: "developer", environments: "non-production" }],
  };
  const admins = { group: "ops", grants: [{ role: "admin", environments: "all" }] };
  const id = await configure({ group_claim: "groups", group_grants: [developers, admins] });
  const person = newPerson({ groups: ["dev", "other"] });

  const first = await signIn(id, person);
  const asDeveloper = (await usersNow())[0].grants;
  await signIn(id, { ...person, groups: ["ops"] });
  const asAdmin = (await usersNow())[0].grants;
  const out = await signIn(id, { ...person, groups: [] });

  expect(first.session).toBeDefined();
  expect(asDeveloper).toEqual(developers.grants);
  expect(asAdmin).toEqual(admins.grants);
  expect(out.session).toBeUndefined();
});

test.each([
  ["who is not invited, where nobody is added", { adds_users: false }, {}],
  ["of another domain", { allowed_domains: ["example.com"] }, {}],
  ["without a verified address", {}, { email_verified: false }],
])("a person %s stays out", async (_who, change, more) => {
  const id = await configure(change);

  const { session, target } = await signIn(id, newPerson(more));

  expect([session, target]).toEqual([undefined, expect.stringContaining("sign_in_failed")]);
  expect(await usersNow()).toEqual([]);
});

test("who is invited signs in by a verified address; an unverified one is not taken for theirs", async () => {
  const id = await configure({ adds_users: false });
  const person = newPerson();
  const grants = [{ role: "read-only", environments: "all" }];
  await send("POST", "/users", { body: { email: person.email, name: "Grace", grants } });

  const claimed = await signIn(id, { ...person, sub: randomUUID(), email_verified: false });
  const right = await signIn(id, person);

  expect([claimed.session, right.session !== undefined]).toEqual([undefined, true]);
});

/** The installation has no owner yet. */
async function forgetOwner(): Promise<void> {
  await sql`
    insert into installation (id, created_at) values (gen_random_uuid(), now())
    on conflict (only_row) do update set owner_claimed_at = null`.execute(app.ctx.db);
}

test("who is named by address becomes the first owner, once, by a verified address", async () => {
  const id = await configure({ adds_users: false, allowed_domains: ["example.com"] });
  const boss = newPerson({ email: "boss@acme.example", groups: [] });
  await forgetOwner();

  const unverified = await signIn(id, { ...boss, sub: randomUUID(), email_verified: false });
  const other = await signIn(id, newPerson());
  const first = await signIn(id, boss);
  const owners = await usersNow();
  await sql`delete from users`.execute(app.ctx.db);
  const late = await signIn(id, { ...boss, sub: randomUUID() });

  expect([unverified, other, late].map(({ session }) => session)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(first.session).toBeDefined();
  expect(owners).toMatchObject([
    { email: "boss@acme.example", grants: [{ role: "owner", environments: "all" }] },
  ]);
});

test("another account's provider names no owner of the installation", async () => {
  const id = await configure({ adds_users: false });
  await forgetOwner();
  await sql`insert into accounts (id, name, created_at) values (gen_random_uuid(), 'first', '2020-01-01')`.execute(
    app.ctx.db,
  );

  const { session } = await signIn(id, newPerson({ email: "boss@acme.example" }));

  expect(session).toBeUndefined();
  await sql`delete from accounts where name = 'first'`.execute(app.ctx.db);
});

test("where it is required, owners alone keep their own ways", async () => {
  await configure({ is_required: true });
  const add = async (role: string) => {
    const email = `${randomUUID()}@acme.example`;
    const body = { email, name: role, grants: [{ role, environments: "all" }] };
    const { data } = JSON.parse((await send("POST", "/users", { body })).text);
    const token = data.link.url.split("#")[1];
    return await send("POST", "/auth/links/redeem", { body: { token } });
  };

  const owner = await add("owner");
  const admin = await add("admin");

  expect(owner.status).toBe(200);
  expect([admin.status, JSON.parse(admin.text).error.code]).toEqual([403, "sso_required"]);
});

test("an issuer that cannot be reached, one in a closed network, and one that makes owners are not stored", async () => {
  await send("DELETE", "/account/sso");
  const tries = [
    { ...usual, issuer: "http://127.0.0.1:1" },
    { ...usual, issuer: "https://10.0.0.1" },
    { ...usual, issuer: vendor.issuer, default_grants: [{ role: "owner", environments: "all" }] },
  ];

  const answers = [];
  for (const body of tries) answers.push((await send("PUT", "/account/sso", { body })).status);

  expect(answers).toEqual([502, 400, 403]);
  expect(JSON.parse((await send("GET", "/account/sso")).text)).toEqual({ data: null });
});

test("the client secret is sealed, kept when it is left out, and never shown", async () => {
  const id = await configure();
  const { client_secret: _secret, ...rest } = usual;
  await send("PUT", "/account/sso", { body: { ...rest, issuer: vendor.issuer } });

  const shown = await send("GET", "/account/sso");
  const { session } = await signIn(id, newPerson());

  expect(JSON.parse(shown.text).data.has_client_secret).toBe(true);
  expect(shown.text).not.toContain(CLIENT.secret);
  expect(session).toBeDefined();
});
