import { createHash } from "node:crypto";
import { request } from "node:http";
import { bodyLimits, defineRoute } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { AppError, createLogger } from "#foundation";
import { createHttpServer, digestOfBody, serveRoutes } from "#foundation/http";
import { ServerStates } from "../server-state.ts";
import { createLargeBodies } from "./large-bodies.ts";

const shared = {
  summary: "Test",
  principals: ["environment"],
  scope: "any-key",
  errors: [],
  idempotent: false,
  success: { status: 200, schema: z.unknown() },
} as const;
const body = z.unknown();

const routes = {
  small: defineRoute({ ...shared, method: "POST", path: "/small", body, bodyLimit: "public" }),
  ordinary: defineRoute({ ...shared, method: "POST", path: "/ordinary", body }),
  deploy: defineRoute({
    ...shared,
    method: "POST",
    path: "/deploy",
    body,
    bodyLimit: "deployment",
    raw: true,
    sessions: "refused",
  }),
  any: defineRoute({
    ...shared,
    method: "ANY",
    path: "/any",
    bodyLimit: "action",
    raw: true,
    sessions: "refused",
  }),
  none: defineRoute({ ...shared, method: "DELETE", path: "/none" }),
};

const sizeOf = (value: unknown) => JSON.stringify(value).length;
const server = await createHttpServer({
  routes: serveRoutes(routes, {
    small: async () => ({}),
    ordinary: async (_ctx, input) => ({ size: sizeOf(input.body) }),
    deploy: async (_ctx, input, { request, reply }) => {
      await reply.send({ size: sizeOf(input.body), digest: digestOfBody(request) });
    },
    any: async (_ctx, _input, { reply, readJson }) => {
      await reply.send({ size: sizeOf(await readJson()) });
    },
    none: async () => ({}),
  }),
  authorize: async (request) => {
    if (request.headers.authorization === undefined) throw new AppError("missing_auth_header");
    return { state: new ServerStates() } as never;
  },
  bodyLimitBytes: 8_000_000,
  actionValueLimitBytes: 2_000_000,
  log: createLogger("silent"),
  newErrorId: () => "id",
});

let port = 0;
beforeAll(async () => {
  await server.listen({ host: "127.0.0.1", port: 0 });
  const address = server.server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(async () => await server.close());

interface Sent {
  readonly path: string;
  readonly chunks: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes chunk after chunk without waiting for an answer, as simple clients do. */
async function post({ path, chunks, headers = { authorization: "Bearer x" } }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; error: Reported }>();
  const sent = request(
    {
      port,
      host: "127.0.0.1",
      path,
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    },
    (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, ...JSON.parse(text) }));
    },
  );
  sent.on("error", reject);
  for (const chunk of chunks) sent.write(chunk);
  sent.end();
  return await promise;
}

interface Reported {
  readonly code: string;
  readonly message: string;
}

const text = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;

test.each([
  ["/small", bodyLimits.public.bytes, "the limit of this route"],
  ["/ordinary", bodyLimits.ordinary.bytes, "the limit of this route"],
  ["/any", 2_000_000 + 1024 * 1024, "SVC_ACTION_VALUE_LIMIT"],
  ["/deploy", 8_000_000, "SVC_BODY_LIMIT"],
])("%s takes %i bytes and no more, whichever way they are sent", async (path, limit, why) => {
  const most = await post({ path, chunks: [text(limit)] });
  const length = { authorization: "Bearer x", "content-length": String(limit + 1) };
  const reported = await post({ path, chunks: [text(limit + 1)], headers: length });
  const chunked = await post({ path, chunks: [text(limit), " "] });
  const far = await post({ path, chunks: [text(limit), ...Array(50).fill(" ".repeat(100_000))] });

  expect(most.status).toBe(200);
  for (const refused of [reported, chunked, far]) {
    expect([refused.status, refused.error.code]).toEqual([413, "request_too_large"]);
    expect(refused.error.message).toContain(`${limit} bytes`);
    expect(refused.error.message).toContain(why);
  }
});

test("a refusal before the body leaves the connection usable, and tells why", async () => {
  const refused = await post({ path: "/deploy", chunks: [text(5_000_000)], headers: {} });

  expect([refused.status, refused.error.code]).toEqual([401, "missing_auth_header"]);
});

const list = (values: number) => `[${"1,".repeat(values - 2)}1]`;
const names = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":{"same":1}`).join(",")}}`;

test.each([
  ["/small", list(1000), 200, ""],
  ["/small", list(1001), 413, "more than 1000 values"],
  ["/ordinary", list(10_000), 200, ""],
  ["/ordinary", list(10_001), 413, "more than 10000 values"],
  ["/ordinary", `{"a":1${',"a":1'.repeat(10_000)}}`, 413, "more than 10000 values"],
  ["/deploy", list(500_000), 200, ""],
  ["/deploy", list(500_001), 413, "more than 500000 values"],
  ["/deploy", names(29_000), 200, ""],
  ["/deploy", names(30_001), 413, "more than 30000 different names"],
])("%s: values and names are counted", async (path, sent, status, message) => {
  const answer = await post({ path, chunks: [sent] });

  expect(answer.status).toBe(status);
  if (status !== 200) expect(answer.error.message).toContain(message);
});

const padding = " ".repeat(1_100_000);

test.each([
  ["nested too deep", "[".repeat(65) + "]".repeat(65), "nested deeper than 64 levels"],
  ["with NUL", '"\\u0000"', "the character \\u0000"],
  ["with an integer past every double", `[${"9".repeat(400)}]`, "a number that is too large"],
  ["with a key of JavaScript's own", '{"a":{"__proto__":1}}', "a key `__proto__`"],
  ["that ends early", '{"a":', "not valid JSON"],
  ["with nothing in it", "", "is empty"],
])("a large body %s is refused as a small one is", async (_what, sent, message) => {
  const small = await post({ path: "/deploy", chunks: [sent || " "] });
  const large = await post({ path: "/deploy", chunks: [padding, sent] });

  for (const { status, error } of [small, large]) {
    expect([status, error.code]).toEqual([400, "invalid_json"]);
    expect(error.message).toContain(message);
  }
});

test("a large body is what was sent, and has the digest of its bytes", async () => {
  const value = {
    ä: ["\u{1f600}", 1.5, null, true, { constructor: "x" }],
    text: "x".repeat(1_200_000),
  };
  const sent = JSON.stringify(value);

  const answer = Object(await post({ path: "/deploy", chunks: [sent] }));

  expect(answer.size).toBe(sent.length);
  expect(answer.digest).toBe(createHash("sha256").update(sent).digest("base64url"));
});

test("large bodies of one caller, and of all, take so much memory; further ones wait", async () => {
  const bodies = createLargeBodies({ bodyLimitBytes: 100 });
  const own = bodies.open("a");
  await own.grow(80);
  const next = bodies.open("a");
  const waits = next.grow(21);
  for (const other of ["b", "c"]) await bodies.open(other).grow(100);
  const fourth = bodies.open("d");
  const fourthWaits = fourth.grow(21);

  expect(waits).toBeInstanceOf(Promise);
  expect(fourthWaits).toBeInstanceOf(Promise);
  own.release();
  await Promise.all([waits, fourthWaits]);
  next.release();
  expect(bodies.open("d").grow(79)).toBeUndefined();
});

test("bodies that all wait for each other end one after the other", async () => {
  const bodies = createLargeBodies({ bodyLimitBytes: 100 });
  const order: number[] = [];
  const opened = Array.from({ length: 4 }, () => bodies.open("a"));
  for (const body of opened) await body.grow(20);

  await Promise.all(
    opened.map(async (body, at) => {
      await body.grow(80);
      order.push(at);
      body.release();
    }),
  );

  expect(order).toEqual([0, 1, 2, 3]);
});

test("a body that waits too long is refused, and one that is cut off waits no more", async () => {
  const bodies = createLargeBodies({ bodyLimitBytes: 100, patienceMs: 20 });
  await bodies.open("a").grow(100);
  const late = bodies.open("a");
  const cut = bodies.open("a");
  let hasGone = false;
  cut.grow(10)?.then(
    () => {
      hasGone = true;
    },
    () => {
      hasGone = true;
    },
  );
  cut.release();

  await expect(late.grow(10)).rejects.toMatchObject({ code: "overloaded" });
  late.release();
  expect(hasGone).toBe(false);
});

test("many large bodies of one caller at once are all read", async () => {
  const sent = text(5_000_000);

  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => await post({ path: "/deploy", chunks: [sent] })),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
});
