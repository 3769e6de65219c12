import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError, MINUTE } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { type Attempt, withPauses } from "./pauses.ts";

let installation: TestContext;
beforeAll(async () => {
  installation = await createTestContext();
});
afterAll(async () => await installation[Symbol.asyncDispose]());
beforeEach(() => installation.clock.advance(60 * MINUTE));

const email = "ada@example.com";

function from(address: string, knownBrowser?: string): Attempt {
  return { email, address, knownBrowser };
}

/** The code with which a sign-in with a wrong password ends, and whether the password was looked at. */
async function fail(attempt: Attempt): Promise<string> {
  let isTried = false;
  const code = await withPauses(installation.ctx, attempt, async () => {
    isTried = true;
    throw new AppError("sign_in_failed");
  }).catch((error: AppError) => error.code);
  return `${code}${isTried ? ", tried" : ""}`;
}

async function succeed(attempt: Attempt): Promise<string> {
  return await withPauses(installation.ctx, attempt, async () => "in").catch(
    (error: AppError) => error.code,
  );
}

test("1,000 attempts from 1,000 addresses at once: 50 are tried, and a known browser gets in meanwhile", async () => {
  const outcomes = await Promise.all(
    Array.from(
      { length: 1000 },
      async (_, index) => await fail(from(`10.0.${index >> 8}.${index & 255}`)),
    ),
  );
  const known = await succeed(from("10.9.9.9", "laptop"));
  const unknown = await succeed(from("10.9.9.9"));
  installation.clock.advance(5 * MINUTE);
  const later = await succeed(from("10.9.9.9"));

  expect(outcomes.filter((outcome) => outcome === "sign_in_failed, tried")).toHaveLength(50);
  expect(outcomes.filter((outcome) => outcome === "sign_in_paused")).toHaveLength(950);
  expect([known, unknown, later]).toEqual(["in", "sign_in_paused", "in"]);
});

test("each further failure doubles the pause, up to 15 minutes and never for good", async () => {
  const attempt = from("10.1.1.1");
  for (let index = 0; index < 5; index += 1) await fail(attempt);
  const pauses: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    let waited = 0;
    while ((await fail(attempt)) === "sign_in_paused") {
      installation.clock.advance(MINUTE / 2);
      waited += 0.5;
    }
    pauses.push(waited);
  }

  expect(pauses).toEqual([0.5, 1, 2, 4, 8, 15, 0]);
});

test("a right password forgets the failures before it, and is no failure itself", async () => {
  const attempt = from("10.2.2.2");
  for (let index = 0; index < 4; index += 1) await fail(attempt);

  const right = await succeed(attempt);
  const outcomes = [];
  for (let index = 0; index < 6; index += 1) outcomes.push(await fail(attempt));

  expect(right).toBe("in");
  expect(outcomes.filter((outcome) => outcome === "sign_in_failed, tried")).toHaveLength(5);
});

test("one address that tries many users waits after 20 failures", async () => {
  const outcomes = [];
  for (let index = 0; index < 25; index += 1) {
    outcomes.push(await fail({ ...from("10.3.3.3"), email: `user-${index}@example.com` }));
  }

  expect(outcomes.filter((outcome) => outcome === "sign_in_failed, tried")).toHaveLength(20);
});

test("a failure of our own is not counted", async () => {
  const attempt = from("10.4.4.4");
  for (let index = 0; index < 10; index += 1) {
    await withPauses(installation.ctx, attempt, async () => {
      throw new AppError("overloaded");
    }).catch(() => undefined);
  }

  expect(await succeed(attempt)).toBe("in");
});
