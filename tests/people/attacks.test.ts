import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { type RouteDefinition, routes } from "@jackfield/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type Browser,
  type BrowserCall,
  OWNER,
  type PeopleUnderTest,
  startPeople,
} from "./people-under-test.ts";

// What a page elsewhere, a stolen text or an ended session tries with a person's session: all of it is refused, and
// nothing is changed.

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
});
afterAll(async () => await people[Symbol.asyncDispose]());
beforeEach(async () => {
  owner = await people.owner();
});

/** A call that would change something, and one that would read something, with what the attacker can make the browser send. */
async function attack(headers: NonNullable<BrowserCall["headers"]>): Promise<string[]> {
  const body = { display_name: randomUUID() };
  const change = await owner.call("POST", "/environment/api-keys", {
    environment: "dev",
    body,
    headers,
  });
  const read = await owner.call("GET", "/environment-variables", { environment: "dev", headers });
  return [change, read].map(({ status, body: answer }) => `${status} ${answer?.error?.code}`);
}

const untrusted = ["401 untrusted_request", "401 untrusted_request"];
const foreign = "https://evil.example";

test.each([
  ["a page of another site", { "sec-fetch-site": "cross-site", origin: foreign }],
  [
    "a page of another site that guesses the token",
    { "sec-fetch-site": "cross-site", origin: foreign, "svc-csrf": "guess" },
  ],
  ["a page of a sub-domain", { "sec-fetch-site": "same-site", origin: "http://apps.localhost" }],
  ["a page of another port", { "sec-fetch-site": "same-site", origin: "http://localhost:1" }],
  ["an address that is opened", { "sec-fetch-site": "none", origin: undefined }],
  [
    "an image or a frame elsewhere",
    { "sec-fetch-site": "cross-site", origin: undefined, "svc-csrf": undefined },
  ],
  ["a page without an origin of its own", { "sec-fetch-site": undefined, origin: "null" }],
  ["an old browser on another site", { "sec-fetch-site": undefined, origin: foreign }],
  ["an old browser that says nothing", { "sec-fetch-site": undefined, origin: undefined }],
  ["an origin that begins like ours", { origin: "http://localhost.evil.example" }],
  ["our origin with another scheme", { origin: "https://localhost" }],
  [
    "a foreign origin that claims to be the same",
    { "sec-fetch-site": "same-origin", origin: foreign },
  ],
  ["our own page without the token", { "svc-csrf": undefined }],
  ["our own page with an empty token", { "svc-csrf": "" }],
  ["our own page with a token of the right length", { "svc-csrf": "A".repeat(43) }],
  ["two origins in one header", { origin: `http://localhost, ${foreign}` }],
])("%s", async (_who, headers) => {
  expect(await attack(headers)).toEqual(untrusted);
});

test("the token of another session of the same user", async () => {
  const other = await people.owner();

  expect(await attack({ "svc-csrf": other.csrf })).toEqual(untrusted);
});

test("the token of another user in the same browser", async () => {
  const { browser: reader } = await people.join("read-only");
  const mixed = people.browser();
  for (const [name, value] of reader.cookies) mixed.cookies.set(name, value);
  mixed.csrf = owner.csrf;

  const answer = await mixed.call("GET", "/connections", { environment: "dev" });

  expect([answer.status, answer.body.error.code]).toEqual([401, "untrusted_request"]);
});

test("a session next to a key counts for nothing: the key alone decides", async () => {
  const key = { authorization: "Bearer svc_key_nothing" };

  expect(await attack(key)).toEqual([
    "401 invalid_secret_key_format",
    "401 invalid_secret_key_format",
  ]);
  expect(await attack({ authorization: "" })).toEqual([
    "401 malformed_auth_header",
    "401 malformed_auth_header",
  ]);
});

test.each([
  ["no secret", ""],
  ["a secret that is too short", "abc"],
  ["a secret of the right length that nobody has", "A".repeat(43)],
  ["the hash of a session, read from the database", "hash"],
  ["the id of a session", "id"],
])("a cookie with %s", async (_what, value) => {
  const { rows } = await people.database.pool.query(
    "select id, token_hash from user_sessions limit 1",
  );
  const stolen = { hash: rows[0].token_hash.toString("base64url"), id: rows[0].id };
  const thief = people.browser();
  thief.cookies.set("jackfield", stolen[value as keyof typeof stolen] ?? value);
  thief.csrf = owner.csrf;

  const answer = await thief.call("GET", "/me");

  expect([answer.status, answer.body.error.code]).toEqual([401, "not_signed_in"]);
});

test("two cookies of the same name, of which one was planted", async () => {
  const cookie = `jackfield=${"B".repeat(43)}; jackfield=${owner.cookies.get("jackfield")}`;

  const answer = await owner.call("GET", "/me", { headers: { cookie } });

  expect(answer.status).toBe(401);
});

test.each([
  ["that was signed out", async () => void (await owner.call("POST", "/auth/sign-out"))],
  [
    "that was ended elsewhere",
    async () => {
      const other = await people.owner();
      await other.call("DELETE", "/me/sessions");
    },
  ],
  [
    "that was idle for 12 hours",
    async () => await age("last_used_at = last_used_at - interval '13 hours'"),
  ],
  ["of 7 days ago", async () => await age("expires_at = expires_at - interval '7 days 1 minute'")],
  [
    "of a password before this one",
    async () => {
      const other = await people.owner();
      await other.call("PUT", "/me/password", { body: { password: OWNER.password } });
    },
  ],
])("a session %s", async (_what, end) => {
  const cookies = new Map(owner.cookies);
  const { csrf } = owner;
  await end();
  owner.csrf = csrf;
  for (const [name, value] of cookies) owner.cookies.set(name, value);

  await expect.poll(async () => (await owner.call("GET", "/me")).status).toBe(401);
  expect(await attack({})).toEqual(["401 not_signed_in", "401 not_signed_in"]);
});

/** The server's cache hears of it, as of every change of the row. */
async function age(change: string): Promise<void> {
  const { id } = (await owner.call("GET", "/me")).body.data.session;
  await people.database.pool.query(
    `update user_sessions set ${change}, via = via || '' where id = $1`,
    [id],
  );
  await people.database.pool.query("update user_sessions set user_agent = 'aged' where id = $1", [
    id,
  ]);
}

test("a role that is taken away between two calls of one page", async () => {
  const { id, browser: admin } = await people.join("admin");
  const before = await admin.call("GET", "/users");
  const grants = [{ role: "support", environments: "all" }];

  await owner.call("PATCH", `/users/${id}`, { body: { grants } });
  const after = await Promise.all([
    admin.call("GET", "/users"),
    admin.call("POST", `/users/${id}/link`),
    admin.call("GET", "/environment/api-keys", { environment: "dev" }),
  ]);

  expect(before.status).toBe(200);
  expect(after.map(({ status }) => status)).toEqual([403, 403, 403]);
});

test("a user who was removed", async () => {
  const { id, browser: admin } = await people.join("admin");

  await owner.call("DELETE", `/users/${id}`);

  expect((await admin.call("GET", "/me")).status).toBe(401);
});

const rawRoutes = Object.entries(routes).flatMap(([name, route]) => {
  const definition: RouteDefinition = route;
  const isGuarded = !definition.principals.includes("public");
  return isGuarded && definition.sessions === "refused" ? [[name, definition] as const] : [];
});

test.each(rawRoutes)("a session on %s, whose bytes come from elsewhere", async (_name, route) => {
  const method = route.method === "ANY" ? "GET" : route.method;
  const path = route.path.replace(/\{\w+\+?\}/g, "none");

  const answer = await owner.call(method, path, { environment: "dev" });

  expect(answer.status).toBe(401);
  // MCP has numbers of JSON-RPC, and ours in the data.
  const { code, data } = answer.body.error;
  expect(["session_not_taken", "missing_auth_header"]).toContain(data?.code ?? code);
});

test.each([
  ["POST", "/auth/password", { email: OWNER.email, password: OWNER.password }],
  ["POST", "/auth/setup", { token: "t", email: "eve@example.com", name: "Eve" }],
  ["POST", "/auth/links/redeem", { token: "t" }],
  ["POST", "/auth/passkeys", { passkey: {} }],
  ["POST", "/auth/sign-out", undefined],
])("%s %s from another site signs nobody in or out", async (method, path, body) => {
  const headers = { "sec-fetch-site": "cross-site", origin: foreign };
  const given = body === undefined ? {} : { body };

  const answer = await owner.call(method, path, { ...given, headers });

  expect([answer.status, answer.body.error.code]).toEqual([401, "untrusted_request"]);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect((await owner.call("GET", "/me")).status).toBe(200);
});

const codes = { code: "123456" };
test.each([
  ["POST", "/me/totp", undefined],
  ["POST", "/me/totp/confirm", codes],
  ["POST", "/me/totp/recovery-codes", undefined],
  ["DELETE", "/me/totp", undefined],
  ["PUT", "/account/sign-in-rules", { second_factor_roles: [] }],
])("%s %s from another site, or without the token", async (method, path, body) => {
  const given = body === undefined ? {} : { body };
  const abroad = { "sec-fetch-site": "cross-site", origin: foreign };

  const answers = [
    await owner.call(method, path, { ...given, headers: abroad }),
    await owner.call(method, path, { ...given, headers: { "svc-csrf": undefined } }),
  ];

  expect(answers.map(({ status, body: { error } }) => `${status} ${error.code}`)).toEqual(
    untrusted,
  );
  expect((await owner.call("GET", "/me")).body.data.second_factor.totp_since).toBeNull();
});

test("a session that was taken, whose thief has no proof of identity, changes no second factor", async () => {
  const { id } = (await owner.call("GET", "/me")).body.data.session;
  await people.database.pool.query("update user_sessions set elevated_until = null where id = $1", [
    id,
  ]);

  const calls = [
    ["POST", "/me/totp"],
    ["DELETE", "/me/totp"],
    ["POST", "/me/totp/recovery-codes"],
    ["PUT", "/me/password"],
  ] as const;

  await expect
    .poll(async () => {
      const answers = [];
      for (const [method, path] of calls) {
        const body = path === "/me/password" ? { body: { password: "loom of the thief" } } : {};
        answers.push((await owner.call(method, path, body)).body.error?.code);
      }
      return answers;
    })
    .toEqual(calls.map(() => "step_up_required"));
});

test("no page elsewhere may read an answer that was made with a session", async () => {
  const headers = { origin: foreign, "sec-fetch-site": "cross-site" };
  const preflight = await fetch(`${people.url}/me`, {
    method: "OPTIONS",
    headers: {
      origin: foreign,
      "access-control-request-method": "GET",
      "access-control-request-headers": "svc-csrf",
    },
  });

  const answer = await owner.call("GET", "/me", { headers });

  expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).not.toContain(
    "svc-csrf",
  );
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
});

test("control headers that are sent twice", async () => {
  const { port } = new URL(people.url);
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");

  const status = await new Promise((resolve, reject) => {
    const headers = [
      "Cookie",
      cookie,
      "Sec-Fetch-Site",
      "same-origin",
      "Svc-Csrf",
      owner.csrf ?? "",
      "Svc-Environment",
      "dev",
      "Svc-Environment",
      "prod",
    ];
    request(
      {
        host: "127.0.0.1",
        port,
        path: "/connections",
        headers: [...headers, "Host", `localhost:${port}`],
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .on("error", reject)
      .end();
  });

  expect(status).toBe(400);
});
