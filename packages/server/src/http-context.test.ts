import { randomUUID } from "node:crypto";
import { defineRoute } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createApiKey } from "#environments";
import { MINUTE } from "#foundation";
import { serveRoutes } from "#foundation/http";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createRateLimiter, rateLimiter } from "#gateway";
import { testServer } from "#testing";
import { contextOfRequest } from "./http-context.ts";

const route = defineRoute({
  method: "GET",
  path: "/connections",
  summary: "Test",
  principals: ["environment"],
  scope: "environment:connections:list",
  success: { status: 200, schema: z.unknown() },
  errors: [],
  idempotent: false,
});

let installation: TestContext;
beforeAll(async () => {
  installation = await createTestContext();
});
afterAll(async () => await installation[Symbol.asyncDispose]());

async function startServer(limit: number) {
  const { ctx } = installation;
  rateLimiter.set(ctx, createRateLimiter(limit));
  const { server } = await testServer(ctx, {
    routes: serveRoutes({ list: route }, { list: async () => [] }),
    caller: async ({ signal, ...call }) => await contextOfRequest({ ...ctx, signal }, call),
    bodyLimitBytes: 1000,
  });
  return server;
}

async function addKey(scopes: string[], kind: "environment" | "account" = "environment") {
  const { ctx } = installation;
  return await createApiKey(ctx, {
    accountId: ctx.environment.accountId,
    environmentId: kind === "environment" ? ctx.environment.id : null,
    displayName: randomUUID(),
    scopes,
  });
}

test("401 comes before 429, and 429 before 403, which counts too", async () => {
  installation.clock.advance(MINUTE);
  const server = await startServer(2);
  const weak = await addKey(["environment:records:read"]);
  const account = await addKey(["account:*"], "account");
  const call = async (key: string) =>
    (await server.inject({ url: "/connections", headers: { authorization: `Bearer ${key}` } }))
      .statusCode;

  const statuses = [
    await call(weak),
    await call(account),
    await call(weak),
    await call(randomUUID()),
  ];
  await server.close();

  expect(statuses).toEqual([403, 403, 429, 401]);
});

test.each([
  ["no header", undefined, "missing_auth_header"],
  ["no key", "Bearer ", "malformed_auth_header"],
  ["another scheme", "Basic dTpw", "malformed_auth_header"],
  ["a character that keys never have", "Bearer svc_key_a\u00a0b", "malformed_auth_header"],
  ["another form", "Bearer abc", "invalid_secret_key_format"],
  ["a wrong checksum", `Bearer svc_key_${"a".repeat(49)}`, "invalid_secret_key_format"],
  ["a session token", `Bearer svc_connect_session_${"a".repeat(64)}`, "invalid_secret_key_format"],
  ["an unknown key", `Bearer ${randomUUID()}`, "unknown_account"],
])("refuses %s, and never repeats the key", async (_what, authorization, code) => {
  const server = await startServer(0);

  const headers = authorization === undefined ? {} : { authorization };
  const answer = await server.inject({ url: "/connections", headers });
  await server.close();

  expect([answer.statusCode, answer.json().error.code]).toEqual([401, code]);
  const key = authorization?.split(" ")[1] ?? "";
  if (key !== "") expect(answer.body).not.toContain(key);
});

test("takes a key in any case of the scheme, and bare", async () => {
  const server = await startServer(0);
  const key = await addKey(["environment:connections:list"]);

  const answers = await Promise.all(
    [`bearer ${key}`, `BEARER  ${key} `, key].map(
      async (authorization) =>
        await server.inject({ url: "/connections", headers: { authorization } }),
    ),
  );
  await server.close();

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
});
