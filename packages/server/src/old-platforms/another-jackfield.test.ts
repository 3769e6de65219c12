import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnection } from "#connections";
import { startRotatingServer } from "#connections/testing";
import { AppError, type EnvironmentContext, HOUR, MINUTE } from "#foundation";
import type { Answer, TestApp } from "#testing";
import { addCrm, startMovingApp } from "./testing/moving-app.ts";

// Two environments of one server: the second reads the first one's connections through, by its API.
let app: TestApp;
let from: EnvironmentContext;
let to: EnvironmentContext;
let url: string;

beforeAll(async () => {
  app = await startMovingApp(async ({ request, signal }) => {
    const { authorization } = request.headers;
    if (authorization === "Bearer old-key") return { ...from, signal };
    if (authorization === "Bearer new-key") return { ...to, signal };
    throw new AppError("unknown_account");
  });
  url = await app.listen();
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function call(
  key: "old-key" | "new-key",
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Answer }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

test("another Jackfield is read through, hands over and takes back, and no refresh token is used twice", async () => {
  await using provider = await startRotatingServer({ expiresIn: 3600 });
  [from, to] = [await app.addEnvironment(), await app.addEnvironment()];
  for (const ctx of [from, to]) {
    const integration = await addCrm(ctx, provider.tokenUrl);
    if (ctx !== from) continue;
    await createConnection(ctx, {
      ...{ integration, connectionId: "ada", connectionConfig: undefined },
      ...{ metadata: { plan: "pro" }, tags: { team: "sales" }, webhookUrlOverride: undefined },
      credentials: {
        ...{ type: "OAUTH2", access_token: "access-0", refresh_token: "refresh-0" },
        expires_at: new Date(ctx.clock.now().getTime() + HOUR).toISOString(),
      },
    });
  }
  const named = { provider_config_key: "crm", connection_id: "ada" };
  const connection = "/connections/ada?provider_config_key=crm";
  const read = async (key: "old-key" | "new-key") =>
    (await call(key, "GET", connection)).body.credentials?.access_token;

  const added = await call("new-key", "POST", "/old-platforms", {
    ...{ name: "before", url, secret_key: "old-key" },
  });
  const path = `/old-platforms/${added.body.data.id}`;
  const move = async (way: "hand-over" | "hand-back") =>
    (await call("new-key", "POST", `${path}/${way}`, { connections: [named] })).body.data[0];
  await call("new-key", "POST", `${path}/connections`, named);
  app.clock.advance(50 * MINUTE);
  const through = [await read("new-key"), await read("old-key")];
  const refused = await move("hand-over");
  const settings = { settings: { revoke_on_delete: false } };
  await call("old-key", "PATCH", "/integrations/crm", settings);
  const over = await move("hand-over");
  app.clock.advance(50 * MINUTE);
  const own = [await read("new-key"), await read("old-key")];
  const back = await move("hand-back");
  app.clock.advance(50 * MINUTE);
  const again = [await read("new-key"), await read("old-key")];
  const there = await call("old-key", "GET", connection);

  expect(through).toEqual(["access-1", "access-1"]);
  expect(refused).toMatchObject({ is_done: false, refusal: { code: "old_side_withdraws" } });
  expect(over).toMatchObject({ is_done: true, old_side: "deleted" });
  expect(own).toEqual(["access-2", undefined]);
  expect(back).toMatchObject({ is_done: true, state: "read_through" });
  expect(again).toEqual(["access-3", "access-3"]);
  expect(there.body).toMatchObject({ metadata: { plan: "pro" }, tags: { team: "sales" } });
  expect(provider.requests).toEqual(["refresh-0", "refresh-1", "refresh-2"]);
});
