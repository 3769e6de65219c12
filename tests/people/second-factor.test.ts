import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../packages/server/src/foundation/testing/index.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "./people-under-test.ts";
import { totpCode } from "./totp-code.ts";

const clock = new ManualClock();
let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople({}, { clock });
  owner = await people.owner();
});
afterAll(async () => await people[Symbol.asyncDispose]());

const password = "looms weave algebra too";
let person: { id: string; email: string; browser: Browser };
beforeEach(async () => {
  // Failures of the test before are over, and its codes with them.
  clock.advance(20 * 60_000);
  person = await people.join("admin", { password });
  await owner.call("POST", "/me/elevate", { body: { password: people.ownerPassword } });
});

interface App {
  readonly secret: string;
  readonly codes: readonly string[];
}

/** An authenticator app that the person uses from now on. */
async function enable(browser: Browser): Promise<App> {
  const begun = await browser.call("POST", "/me/totp");
  const { secret } = begun.body.data;
  const body = { code: totpCode(secret, clock.now()) };
  const confirmed = await browser.call("POST", "/me/totp/confirm", { body });
  expect(confirmed.status).toBe(200);
  expect(confirmed.headers.get("cache-control")).toBe("no-store");
  clock.advance(30_000);
  return { secret, codes: confirmed.body.data.recovery_codes };
}

async function signIn(code?: string, given: { password?: string } = {}) {
  const body = { email: person.email, password, ...(code !== undefined && { code }), ...given };
  return await people.browser().call("POST", "/auth/password", { body });
}

function said({ status, body }: { status: number; body: { error?: { code: string } } }) {
  return `${status} ${body?.error?.code ?? ""}`.trim();
}

test("codes are those of RFC 6238", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

  const found = [59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000].map((seconds) =>
    totpCode(secret, new Date(seconds * 1000)),
  );

  expect(found).toEqual(["287082", "081804", "050471", "005924", "279037", "353130"]);
});

test("an app counts once a code of it was confirmed; then a password needs a code, and a code is taken once", async () => {
  const begun = await person.browser.call("POST", "/me/totp");
  expect(await signIn()).toMatchObject({ status: 200 });
  expect(begun.body.data.uri).toContain("otpauth://totp/Jackfield:");
  expect(begun.body.data.uri).toContain(`secret=${begun.body.data.secret}`);

  const { secret } = await enable(person.browser);
  const code = totpCode(secret, clock.now());
  const answers = [
    await signIn(),
    await signIn("000000"),
    await signIn(code, { password: "another one entirely" }),
    await signIn(code),
    await signIn(code),
  ];

  expect(answers.map(said)).toEqual([
    "401 second_factor_required",
    "401 sign_in_failed",
    "401 sign_in_failed",
    "200",
    "401 sign_in_failed",
  ]);
  expect(answers[3]?.body.data.user.has_totp).toBe(true);
  const { rows } = await people.database.pool.query("select t::text from totp_secrets t");
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test("of 20 sign-ins at once with one code, one succeeds", async () => {
  const { secret } = await enable(person.browser);
  const code = totpCode(secret, clock.now());

  const answers = await Promise.all(Array.from({ length: 20 }, async () => await signIn(code)));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a code of the period before and after is taken, one of earlier or later is not", async () => {
  const { secret } = await enable(person.browser);
  const at = (seconds: number) =>
    totpCode(secret, new Date(clock.now().getTime() + seconds * 1000));
  clock.advance(300_000);

  const far = [await signIn(at(-60)), await signIn(at(60))];
  const near = [await signIn(at(-30)), await signIn(at(0)), await signIn(at(30))];
  const back = await signIn(at(0));

  expect(far.map(said)).toEqual(["401 sign_in_failed", "401 sign_in_failed"]);
  expect(near.map(said)).toEqual(["200", "200", "200"]);
  expect(said(back)).toBe("401 sign_in_failed");
});

test("each recovery code works once, in any spelling, and new ones end those before", async () => {
  const { codes } = await enable(person.browser);
  const [first = "", second = ""] = codes;
  expect(codes).toHaveLength(10);

  const answers = [
    await signIn(first.toUpperCase().replace("-", " ")),
    await signIn(first),
    await signIn(second.replace("-", "")),
  ];
  const left = (await person.browser.call("GET", "/me")).body.data.second_factor;
  const renewed = await person.browser.call("POST", "/me/totp/recovery-codes");
  const old = await signIn(codes[5]);
  const fresh = await signIn(renewed.body.data.recovery_codes[0]);

  expect(answers.map(said)).toEqual(["200", "401 sign_in_failed", "200"]);
  expect(left).toMatchObject({ recovery_codes_left: 8, is_missing: false });
  expect([said(old), said(fresh)]).toEqual(["401 sign_in_failed", "200"]);
  const { rows } = await people.database.pool.query("select r::text from recovery_codes r");
  expect(JSON.stringify(rows)).not.toContain(first);
});

test("guesses of a code wait like guesses of a password, also for who knows the password", async () => {
  await enable(person.browser);

  const answers = [];
  for (let n = 0; n < 8; n += 1) answers.push(await signIn(String(n).padStart(6, "0")));

  expect(answers.map(said).slice(0, 5)).toEqual(Array(5).fill("401 sign_in_failed"));
  expect(answers.map(said).slice(5)).toEqual(Array(3).fill("429 sign_in_paused"));
});

test("a right password without its code neither counts as a failure nor forgives those before", async () => {
  await enable(person.browser);
  for (let n = 0; n < 4; n += 1) await signIn(String(n).padStart(6, "0"));

  for (let n = 0; n < 10; n += 1) expect(said(await signIn())).toBe("401 second_factor_required");
  await signIn("999999");
  const paused = await signIn("999998");

  expect(said(paused)).toBe("429 sign_in_paused");
});

test("enabling, disabling and new codes need a fresh proof of identity, and the proof needs a code", async () => {
  const { secret } = await enable(person.browser);
  clock.advance(11 * 60_000);
  const refused = await Promise.all([
    person.browser.call("POST", "/me/totp"),
    person.browser.call("POST", "/me/totp/confirm", { body: { code: "000000" } }),
    person.browser.call("POST", "/me/totp/recovery-codes"),
    person.browser.call("DELETE", "/me/totp"),
  ]);
  const elevate = async (body: object) =>
    await person.browser.call("POST", "/me/elevate", { body });
  const bare = await elevate({ password });
  const full = await elevate({ password, code: totpCode(secret, clock.now()) });

  expect(refused.map(said)).toEqual(Array(4).fill("403 step_up_required"));
  expect([said(bare), said(full)]).toEqual(["401 second_factor_required", "200"]);
  expect((await person.browser.call("DELETE", "/me/totp")).status).toBe(204);
  expect(said(await signIn())).toBe("200");
});

test("an app in use is not replaced, and sessions that were begun without it end", async () => {
  const other = people.browser();
  await other.call("POST", "/auth/password", { body: { email: person.email, password } });

  await enable(person.browser);
  const again = await person.browser.call("POST", "/me/totp");

  expect(said(again)).toBe("409 conflict");
  expect((await other.call("GET", "/me")).status).toBe(401);
  expect((await person.browser.call("GET", "/me")).status).toBe(200);
});

test("an admin's link needs the code, until an admin removes the app", async () => {
  const { secret } = await enable(person.browser);
  const linkOf = async () => {
    const made = await owner.call("POST", `/users/${person.id}/link`);
    return String(made.body.data.link?.url ?? made.body.data.url).split("#")[1];
  };
  const redeem = async (body: object) =>
    await people.browser().call("POST", "/auth/links/redeem", { body });
  const token = await linkOf();

  const bare = await redeem({ token });
  const wrong = await redeem({ token, code: "000000" });
  const right = await redeem({ token, code: totpCode(secret, clock.now()) });
  const removed = await owner.call("DELETE", `/users/${person.id}/totp`);
  const without = await redeem({ token: await linkOf() });

  expect([bare, wrong, right].map(said)).toEqual([
    "401 second_factor_required",
    "401 sign_in_failed",
    "200",
  ]);
  expect([removed.status, said(without)]).toEqual([204, "200"]);
});

test("a role that asks for more holds up a session with a password alone, until it has more", async () => {
  const rules = { second_factor_roles: ["admin"] };
  const before = await person.browser.call("GET", "/users");
  await owner.call("PUT", "/account/sign-in-rules", { body: rules });

  const held = await person.browser.call("GET", "/users");
  const inside = await person.browser.call("GET", "/connections", { environment: "dev" });
  const me = await person.browser.call("GET", "/me");
  const fresh = people.browser();
  await fresh.call("POST", "/auth/password", { body: { email: person.email, password } });
  const heldToo = await fresh.call("GET", "/users");
  const others = await owner.call("GET", "/users");
  const { secret } = await enable(person.browser);
  const free = await person.browser.call("GET", "/users");
  await person.browser.call("DELETE", "/me/totp");
  const heldAgain = await person.browser.call("GET", "/users");

  expect([before, held, inside, heldToo, others, free, heldAgain].map(said)).toEqual([
    "200",
    "403 second_factor_missing",
    "403 second_factor_missing",
    "403 second_factor_missing",
    "200",
    "200",
    "403 second_factor_missing",
  ]);
  expect(me.body.data.second_factor).toMatchObject({ is_required: true, is_missing: true });
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  await owner.call("PUT", "/account/sign-in-rules", { body: { second_factor_roles: [] } });
  expect(said(await person.browser.call("GET", "/users"))).toBe("200");
});

test("what happens to an app is in the audit log, without its secret and codes", async () => {
  const { secret, codes } = await enable(person.browser);
  await signIn(codes[0]);
  await signIn(totpCode(secret, clock.now()));

  const { rows } = await people.database.pool.query(
    "select action, fields, e::text as all from audit_events e where actor ->> 'id' = $1 order by sequence",
    [person.id],
  );

  const actions = rows.map(({ action, fields }) =>
    `${action} ${fields.second_factor ?? ""}`.trim(),
  );
  expect(actions.slice(-4)).toEqual([
    "beginTotp",
    "confirmTotp",
    "signIn.password recovery-code",
    "signIn.password totp",
  ]);
  const text = JSON.stringify(rows);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(codes[0]);
});
