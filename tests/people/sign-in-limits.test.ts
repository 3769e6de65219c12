import { afterAll, beforeAll, expect, test } from "vitest";
import { ManualClock } from "../../packages/server/src/foundation/testing/index.ts";
import { OWNER, type PeopleUnderTest, startPeople } from "./people-under-test.ts";

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
});
afterAll(async () => await people[Symbol.asyncDispose]());

const { email, password } = OWNER;

async function trySignIn(given: string, browser = people.browser()) {
  return await browser.call("POST", "/auth/password", { body: { email, password: given } });
}

test("1,000 attempts do not get in, and do not lock out a browser that the owner has used", async () => {
  const owner = await people.owner();
  await owner.call("POST", "/auth/sign-out");

  const statuses = new Map<string, number>();
  for (let batch = 0; batch < 50; batch += 1) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await trySignIn(`guess ${batch} ${index}`)),
    );
    for (const { status, body } of answers) {
      const name = `${status} ${body.error.code}`;
      statuses.set(name, (statuses.get(name) ?? 0) + 1);
    }
  }
  const { rows } = await people.database.pool.query(
    "select max(failures) as most from sign_in_failures",
  );
  const elsewhere = await trySignIn(password);
  const known = await trySignIn(password, owner);

  expect([...statuses.keys()].toSorted()).toEqual(["401 sign_in_failed", "429 sign_in_paused"]);
  expect(statuses.get("401 sign_in_failed")).toBe(5);
  expect(rows[0].most).toBe(5);
  expect([elsewhere.status, elsewhere.headers.get("retry-after")]).toEqual([
    429,
    expect.stringMatching(/^\d+$/),
  ]);
  expect(known.status).toBe(200);
});

test("1,000 attempts from as many addresses do not get in, lock out no known browser, and others for minutes", async () => {
  const clock = new ManualClock();
  await using behind = await startPeople({ SVC_TRUSTED_PROXIES: "127.0.0.1" }, { clock });
  const owner = await behind.owner();
  await owner.call("POST", "/auth/sign-out");
  const from = async (address: string, given: string, browser = behind.browser()) =>
    await browser.call("POST", "/auth/password", {
      headers: { "x-forwarded-for": address },
      body: { email, password: given },
    });

  const counts = new Map<string, number>();
  for (let batch = 0; batch < 50; batch += 1) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        return await from(`10.20.${batch}.${index}`, `guess ${batch} ${index}`);
      }),
    );
    for (const { status, body } of answers) {
      const name = `${status} ${body.error.code}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const known = await from("10.30.0.1", password, owner);
  const elsewhere = await from("10.30.0.2", password);
  const wait = Number(elsewhere.headers.get("retry-after"));
  clock.advance(wait * 1000);
  const later = await from("10.30.0.2", password);

  expect(Object.fromEntries(counts)).toEqual({
    "401 sign_in_failed": 50,
    "429 sign_in_paused": 950,
  });
  expect([known.status, elsewhere.status, later.status]).toEqual([200, 429, 200]);
  expect(wait).toBeLessThanOrEqual(300);
});
