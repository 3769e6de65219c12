import { randomUUID } from "node:crypto";
import { defineRoute, type RouteDefinition } from "@jackfield/contract";
import * as z from "zod";
import { authenticateKey, createApiKey, parseAuthorization } from "#environments";
import { AppError, type EnvironmentContext, withEnvironment } from "#foundation";
import { DatabaseAway } from "#foundation/db";
import { serveRoutes } from "#foundation/http";
import { testServer } from "#testing";
import { createIdempotency } from "../create-idempotency.ts";
import { createNameAliases } from "../create-name-aliases.ts";
import { createRateLimiter } from "../create-rate-limiter.ts";

const shared = {
  summary: "Test",
  principals: ["environment"],
  scope: "environment:connections:read",
  errors: ["conflict"],
  idempotent: false,
} as const;

const things = defineRoute({
  ...shared,
  method: "POST",
  path: "/things",
  body: z.strictObject({ answer: z.string(), svcYamlBody: z.string().optional() }),
  success: { status: 201, schema: z.unknown() },
  idempotent: true,
});

/** Routes that show what runs before any handler. */
export const testRoutes = {
  getThing: defineRoute({
    ...shared,
    method: "GET",
    path: "/things/{id}",
    query: z.strictObject({ format: z.string().optional() }),
    success: { status: 200, schema: z.unknown() },
  }),
  createThing: things,
  createOnce: defineRoute({ ...things, path: "/once", idempotent: "once" }),
  deleteThing: defineRoute({
    ...shared,
    method: "DELETE",
    path: "/things/{id}",
    scope: "environment:connections:delete",
    success: { status: 200, schema: z.unknown() },
  }),
  passThrough: defineRoute({
    ...shared,
    method: "ANY",
    path: "/pass/{path+}",
    success: { status: 200 },
    raw: true,
    sessions: "refused",
    proxied: true,
  }),
} as const satisfies Record<string, RouteDefinition>;

export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers and compare what they find
  json(): any;
}

export interface GatewayServer extends AsyncDisposable {
  /** How often a handler has run. */
  readonly runs: () => number;
  /** Held back answers of the word `wait` are given. */
  readonly letGo: () => void;
  call(
    method: "GET" | "POST" | "DELETE" | "PUT",
    url: string,
    options?: { headers?: Record<string, string>; body?: unknown; key?: string },
  ): Promise<Answer>;
}

/** The gateway before handlers of its own, over a test database; `ctx` gives clock and environment. */
export async function startGateway(
  ctx: EnvironmentContext,
  settings: { limit?: number; word?: string } = {},
): Promise<GatewayServer> {
  const limiter = createRateLimiter(settings.limit ?? 0);
  const held = Promise.withResolvers<void>();
  let runs = 0;
  const create = async (
    ctx: EnvironmentContext,
    input: { readonly body: z.output<typeof things.body> },
  ) => {
    runs += 1;
    const { answer } = input.body;
    if (answer.startsWith("wait")) await held.promise;
    if (answer.endsWith("effect")) await ctx.noteEffect?.();
    if (answer === "conflict") throw new AppError("conflict", `Taken (${runs}).`);
    if (answer.startsWith("away")) throw new DatabaseAway({ didNotRun: false });
    if (answer === "fail") throw new Error("inner detail");
    return { run: runs, body: input.body };
  };
  const served = await testServer(ctx, {
    routes: serveRoutes(testRoutes, {
      createThing: create,
      createOnce: create,
      getThing: async (_ctx, { query, params }) => Object.assign({}, query, params),
      deleteThing: async () => ({}),
      passThrough: async (_ctx, _input, { request, reply }) => {
        await reply.send({ url: request.raw.url, headers: request.raw.rawHeaders });
      },
    }),
    caller: async ({ request, route, signal, reply }) => {
      const token = parseAuthorization(request.headers.authorization);
      const { environment = ctx.environment, ...key } = await authenticateKey(ctx, token);
      const { accountId } = key;
      const tell = (headers: object) =>
        void (route.proxied === true || reply.headers({ ...headers }));
      await limiter.admit(ctx, { accountId, bucket: "key", request: request.raw, tell });
      return withEnvironment({ ...ctx, signal }, environment, { kind: "key", ...key });
    },
    bodyLimitBytes: 1000,
    idempotency: createIdempotency(),
    aliases: settings.word === undefined ? undefined : createNameAliases(settings.word),
  });
  const key = await addKey(ctx);
  return {
    runs: () => runs,
    letGo: () => held.resolve(),
    call: async (method, url, options = {}) =>
      await served.server.inject({
        method,
        url,
        headers: {
          authorization: `Bearer ${options.key ?? key}`,
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...options.headers,
        },
        ...(options.body === undefined ? {} : { payload: JSON.stringify(options.body) }),
      }),
    [Symbol.asyncDispose]: async () => await served[Symbol.asyncDispose](),
  };
}

export async function addKey(
  ctx: EnvironmentContext,
  scopes: string[] = ["environment:*"],
): Promise<string> {
  return await createApiKey(ctx, {
    accountId: ctx.environment.accountId,
    environmentId: ctx.environment.id,
    displayName: randomUUID(),
    scopes,
  });
}
