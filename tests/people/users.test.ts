import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, OWNER, type PeopleUnderTest, startPeople } from "./people-under-test.ts";

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
});
afterAll(async () => await people[Symbol.asyncDispose]());

const PASSWORD = "looms count in punched cards";

async function invite(grants: object[], by = owner) {
  const email = `${randomUUID()}@example.com`;
  const added = await by.call("POST", "/users", { body: { email, name: "Grace", grants } });
  const token = String(added.body.data?.link.url).split("#")[1];
  return { email, added, token, id: added.body.data?.user.id as string };
}

async function join(grants: object[]) {
  const invited = await invite(grants);
  const browser = people.browser();
  const { token } = invited;
  const body = { token, password: PASSWORD };
  const joined = await browser.call("POST", "/auth/links/redeem", { body });
  if (joined.status !== 200) throw new Error(joined.text);
  return { ...invited, browser };
}

test("an invitation works once, sets a password, and the person has the rights that were given", async () => {
  const { browser, email, token } = await join([
    { role: "developer", environments: "non-production" },
    { role: "support", environments: "all" },
  ]);

  const me = await browser.call("GET", "/me");
  const again = await people.browser().call("POST", "/auth/links/redeem", { body: { token } });
  const back = await people
    .browser()
    .call("POST", "/auth/password", { body: { email, password: PASSWORD } });
  const keys = await browser.call("GET", "/environment/api-keys", { environment: "prod" });

  const [dev, prod] = me.body.data.environments;
  expect(dev.scopes).toEqual(["environment:*"]);
  expect(prod.scopes).toContain("environment:connections:read");
  expect(prod.scopes).not.toContain("environment:proxy");
  expect([again.status, again.body.error.code]).toEqual([400, "invalid_link"]);
  expect(back.status).toBe(200);
  expect([keys.status, keys.body.error.message]).toEqual([
    403,
    expect.stringContaining("Your role lacks"),
  ]);
});

test("changed rights and a disabled user hold in the very next call", async () => {
  const { browser, id, email } = await join([{ role: "admin", environments: "all" }]);

  const asAdmin = await browser.call("GET", "/users");
  await owner.call("PATCH", `/users/${id}`, {
    body: { grants: [{ role: "read-only", environments: "all" }] },
  });
  const asReader = await browser.call("GET", "/users");
  await owner.call("PATCH", `/users/${id}`, { body: { disabled: true } });
  const asNobody = await browser.call("GET", "/me");
  const back = await people
    .browser()
    .call("POST", "/auth/password", { body: { email, password: PASSWORD } });

  expect([asAdmin.status, asReader.status, asNobody.status, back.status]).toEqual([
    200, 403, 401, 401,
  ]);
  expect(back.body.error.code).toBe("sign_in_failed");
});

test("an admin neither makes, changes nor resets an owner; the last owner stays", async () => {
  const { browser: admin, id: adminId } = await join([{ role: "admin", environments: "all" }]);
  const ownerId = (await owner.call("GET", "/me")).body.data.user.id;
  const asOwner = [{ role: "owner", environments: "all" }];

  const made = await invite(asOwner, admin);
  const raised = await admin.call("PATCH", `/users/${adminId}`, { body: { grants: asOwner } });
  const lowered = await admin.call("PATCH", `/users/${ownerId}`, {
    body: { grants: [{ role: "support", environments: "all" }] },
  });
  const reset = await admin.call("POST", `/users/${ownerId}/link`);
  const removed = await admin.call("DELETE", `/users/${ownerId}`);
  const disabled = await owner.call("PATCH", `/users/${ownerId}`, { body: { disabled: true } });
  const deleted = await owner.call("DELETE", `/users/${ownerId}`);

  const refusals = [made.added, raised, lowered, reset, removed];
  expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  expect([disabled.body.error.code, deleted.body.error.code]).toEqual(["last_owner", "last_owner"]);
  expect((await owner.call("GET", "/me")).status).toBe(200);
});

test("sessions are listed and ended, and the ended one is refused", async () => {
  const other = await people.owner();

  const listed = await owner.call("GET", "/me/sessions");
  const current = (await other.call("GET", "/me")).body.data.session.id;
  const ended = await owner.call("DELETE", `/me/sessions/${current}`);
  const after = await other.call("GET", "/me");
  const again = await owner.call("DELETE", `/me/sessions/${current}`);

  expect(listed.body.data.length).toBeGreaterThan(1);
  expect(
    listed.body.data.filter((session: { is_current: boolean }) => session.is_current),
  ).toHaveLength(1);
  expect([ended.status, after.status, again.status]).toEqual([204, 401, 404]);
});

test("what takes a fresh proof of identity is refused without one, and taken after it", async () => {
  const { browser, id } = await join([{ role: "admin", environments: "all" }]);
  const sessionId = (await browser.call("GET", "/me")).body.data.session.id;
  await people.database.pool.query(
    "update user_sessions set elevated_until = now() - interval '1 second' where id = $1",
    [sessionId],
  );
  const before = new Map(browser.cookies);
  // Until the session's end of trust is seen, a key is made: each has a name of its own.
  const makeKey = async () =>
    await browser.call("POST", "/environment/api-keys", {
      ...{ environment: "dev", body: { display_name: randomUUID() } },
    });

  await expect.poll(async () => (await makeKey()).status).toBe(403);
  const refused = await makeKey();
  const wrong = await browser.call("POST", "/me/elevate", { body: { password: "something else" } });
  const proved = await browser.call("POST", "/me/elevate", { body: { password: PASSWORD } });
  const taken = await makeKey();
  const old = people.browser();
  for (const [name, value] of before) old.cookies.set(name, value);

  expect(refused.body.error.code).toBe("step_up_required");
  expect([wrong.status, proved.status, taken.status]).toEqual([401, 200, 200]);
  expect((await old.call("GET", "/me")).status).toBe(401);
  expect((await owner.call("DELETE", `/users/${id}`)).status).toBe(204);
});

test("a password that others would try first is refused", async () => {
  const tries = ["short", "aaaaaaaaaaaaaa", "ada@example.com", "AdaLovelace1"];

  const answers = [];
  for (const password of tries) {
    answers.push(await owner.call("PUT", "/me/password", { body: { password } }));
  }

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(
    (
      await people
        .browser()
        .call("POST", "/auth/password", { body: { email: OWNER.email, password: OWNER.password } })
    ).status,
  ).toBe(200);
});

test("users are listed in pages, and those of nobody else's account", async () => {
  await invite([{ role: "read-only", environments: "all" }]);

  const first = await owner.call("GET", "/users?limit=1");
  const second = await owner.call("GET", `/users?limit=1&cursor=${first.body.next_cursor}`);
  const byKey = await fetch(`${people.url}/users`, {
    headers: { authorization: `Bearer ${people.keys.account}` },
  });

  expect(first.body.data[0].email).toBe(OWNER.email);
  expect(second.body.data[0].email).not.toBe(OWNER.email);
  expect(byKey.status).toBe(200);
});
