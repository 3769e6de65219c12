import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER, type PeopleUnderTest, startPeople } from "./people-under-test.ts";

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
});
afterAll(async () => await people[Symbol.asyncDispose]());

test("of 100 claims of the setup link at once, exactly one makes an owner", async () => {
  const before = await people.browser().call("GET", "/auth/state");

  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const claim = { token: people.setupToken, name: "Claimant" };
      const password = index % 5 === 0 ? { password: "engines weave algebra" } : {};
      const body = { ...claim, ...password, email: `claimant-${index}@example.com` };
      return await people.browser().call("POST", "/auth/setup", { body });
    }),
  );

  const { rows } = await people.database.pool.query("select email from users");
  const statuses = answers.map(({ status, body }) => `${status} ${body.error?.code ?? ""}`);
  expect(before.body.data.setup_needed).toBe(true);
  expect(statuses.filter((status) => status === "200 ")).toHaveLength(1);
  expect(
    statuses.filter((status) => !/^(200 |400 invalid_link|503 overloaded)$/.test(status)),
  ).toEqual([]);
  expect(rows).toHaveLength(1);
  await people.database.pool.query(
    "delete from users; update installation set owner_claimed_at = null; update one_time_links set used_at = null",
  );
});

test("the owner signs in, sees what they may do, acts in an environment, and signs out", async () => {
  const browser = await people.owner();

  const me = await browser.call("GET", "/me");
  const listed = await browser.call("GET", "/connections", { environment: "dev" });
  const account = await browser.call("GET", "/environments");
  const stranger = await browser.call("GET", "/connections", { environment: "none" });
  const placeless = await browser.call("GET", "/connections");
  const out = await browser.call("POST", "/auth/sign-out");
  const after = await browser.call("GET", "/me");

  expect(me.body.data).toMatchObject({
    user: {
      email: OWNER.email,
      grants: [{ role: "owner", environments: "all" }],
      ways: ["password"],
    },
    account_scopes: ["account:*"],
    environments: [
      { name: "dev", is_production: false, scopes: ["environment:*"] },
      { name: "prod", is_production: true, scopes: ["environment:*"] },
    ],
  });
  expect([listed.status, account.status, stranger.status, placeless.status]).toEqual([
    200, 200, 404, 400,
  ]);
  expect([out.status, after.status, after.body.error.code]).toEqual([204, 401, "not_signed_in"]);
});

test("a password signs in, and its failures do not say what was wrong", async () => {
  const { email, password } = OWNER;

  const right = await people
    .browser()
    .call("POST", "/auth/password", { body: { email: email.toUpperCase(), password } });
  const wrong = await people
    .browser()
    .call("POST", "/auth/password", { body: { email, password: "another one" } });
  const unknown = await people
    .browser()
    .call("POST", "/auth/password", { body: { email: "no@example.com", password } });

  expect(right.status).toBe(200);
  expect(right.headers.getSetCookie()[0]).toMatch(
    /^jackfield=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  );
  expect(right.headers.get("cache-control")).toBe("no-store");
  expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
});

test("with an address of https the cookie is bound to the host and sent over TLS alone", async () => {
  await using secure = await startPeople({
    SVC_DASHBOARD_URL: "https://jackfield.example.com/dashboard",
  });

  const browser = secure.browser();
  const answer = await browser.call("POST", "/auth/setup", {
    body: { token: secure.setupToken, ...OWNER },
    headers: { origin: "https://jackfield.example.com" },
  });

  expect(answer.status).toBe(200);
  expect(answer.headers.get("set-cookie")).toMatch(
    /^__Host-jackfield=.*; HttpOnly; SameSite=Strict; Secure$/,
  );
  expect((await browser.call("GET", "/me")).status).toBe(200);
});
