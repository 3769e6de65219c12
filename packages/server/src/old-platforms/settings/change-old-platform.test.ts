import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer, TestApp } from "#testing";
import { startFakeOldPlatform } from "../testing/fake-old-platform.ts";
import { startMovingApp } from "../testing/moving-app.ts";

let app: TestApp;

beforeAll(async () => {
  app = await startMovingApp(async ({ signal }) => ({ ...app.ctx, signal }));
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function call(method: "POST" | "PATCH", url: string, payload: object) {
  const answer = await app.server.inject({ method, url, payload });
  const body: Answer = answer.json();
  return { body };
}

test("addresses and keys are checked before they are stored", async () => {
  await using old = await startFakeOldPlatform({
    now: () => app.clock.now(),
    refresh: () => Promise.reject(new Error("there is nothing to refresh")),
  });
  const { url, key } = old;
  const body = { name: "nango", url, secret_key: key };

  const wrongKey = await call("POST", "/old-platforms", { ...body, secret_key: "wrong" });
  const metadata = await call("POST", "/old-platforms", { ...body, url: "http://169.254.169.254" });
  const plain = await call("POST", "/old-platforms", { ...body, url: "http://example.com" });
  const withUser = await call("POST", "/old-platforms", {
    ...body,
    url: "https://u:p@example.com",
  });
  const added = await call("POST", "/old-platforms", body);
  const twice = await call("POST", "/old-platforms", body);
  const changed = await call("PATCH", `/old-platforms/${added.body.data.id}`, { secret_key: "no" });

  const answers = [wrongKey, metadata, plain, withUser, twice, changed];
  expect(answers.map(({ body: { error } }) => error.code)).toEqual([
    "invalid_credentials",
    "destination_not_allowed",
    "invalid_body",
    "invalid_body",
    "conflict",
    "invalid_credentials",
  ]);
});
