import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type EnvironmentContext, HOUR } from "#foundation";
import { type Answer, type TestApp, testApp } from "#testing";
import { revocations } from "../index.ts";
import { signItemReport } from "./sign-report.ts";

let app: TestApp;
let ctx: EnvironmentContext;

beforeAll(async () => {
  app = await testApp({
    slices: [revocations],
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

async function sign(inside = ctx): Promise<string> {
  const revocation = {
    id: "1f1f7a1e-0000-4000-8000-000000000000",
    isRehearsal: false,
    reason: null,
  };
  return await signItemReport(inside, revocation, {
    ...{ position: 1, connectionId: "acme", integrationKey: "crm", provider: "hubspot" },
    ...{ state: "withdrawn", attempts: 1, frozenAt: null, settledAt: ctx.clock.now() },
    outcome: { reason: null, answers: [] },
  });
}

async function call(method: "GET" | "POST", url: string): Promise<Answer> {
  return (await app.server.inject({ method, url })).json();
}

const readKeys = async (id = ctx.environment.id) => await call("GET", `/revocation-keys/${id}`);

async function kidOf(report: string, keys: JSONWebKeySet): Promise<string | undefined> {
  return (await compactVerify(report, createLocalJWKSet(keys))).protectedHeader.kid;
}

test("a new key signs from the rotation on, and reports from before still verify", async () => {
  const before = await sign();
  const first = await readKeys();
  app.clock.advance(HOUR);
  const rotated = await call("POST", "/revocation-keys/rotate");
  const after = await sign();
  const keys = await readKeys();

  expect(first.keys).toMatchObject([{ retired_at: null }]);
  expect(rotated).toEqual(keys);
  expect(keys.keys).toMatchObject([
    { retired_at: null },
    { kid: first.keys[0].kid, retired_at: ctx.clock.now().toISOString() },
  ]);
  expect(await kidOf(before, keys)).toBe(first.keys[0].kid);
  expect(await kidOf(after, keys)).toBe(keys.keys[0].kid);
  expect(keys.keys[0].kid).not.toBe(first.keys[0].kid);
  expect(JSON.stringify(keys)).not.toContain('"d"');
});

test("a report that is signed with a key of nobody here does not verify", async () => {
  const own = await sign();
  const mine = await readKeys();
  const stranger = await app.addEnvironment();
  const foreign = await sign(stranger);

  await expect(kidOf(foreign, mine)).rejects.toMatchObject({ code: "ERR_JWKS_NO_MATCHING_KEY" });
  expect(await kidOf(own, mine)).toBeDefined();
});

test("rotations at once keep each key that may have signed", async () => {
  await sign();

  await Promise.all(
    Array.from({ length: 5 }, async () => await call("POST", "/revocation-keys/rotate")),
  );
  const { keys } = await readKeys();
  const report = await sign();

  expect(new Set(keys.map((key: Answer) => key.kid)).size).toBe(6);
  expect(keys.filter((key: Answer) => key.retired_at === null)).toHaveLength(1);
  expect(await kidOf(report, { keys })).toBe(keys[0].kid);
});

test("a rotation before the first report makes the first key", async () => {
  const { keys } = await call("POST", "/revocation-keys/rotate");

  expect(keys).toMatchObject([{ retired_at: null }]);
  expect(await kidOf(await sign(), { keys })).toBe(keys[0].kid);
});
