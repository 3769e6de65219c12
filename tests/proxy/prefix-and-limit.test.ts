import { afterAll, beforeAll, expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import {
  addConnection,
  addIntegration,
  callHeaders,
  startPlatform,
  startUpstream,
} from "./proxied-api.ts";

const LIMIT = 8;

const cleanUp = new AsyncDisposableStack();
const arrived: NodeJS.Dict<string | string[]>[] = [];
let platform: PlatformProcess;

beforeAll(async () => {
  const upstream = await startUpstream(cleanUp, (request, response) => {
    arrived.push(request.headers);
    response.setHeader("x-ratelimit-limit", "provider's own").end("ok");
  });
  const database = cleanUp.use(await createServerDatabase());
  platform = await startPlatform(cleanUp, {
    SVC_DATABASE_URL: database.connectionString,
    SVC_COMPAT_PREFIX: "acme",
    SVC_RATE_LIMIT_PER_MIN: String(LIMIT),
    SVC_ROLES: "api",
  });
  await addIntegration(platform, upstream);
  await addConnection(platform, "one");
});
afterAll(async () => await cleanUp.disposeAsync());

async function call(headers: Readonly<Record<string, string>>): Promise<Response> {
  const response = await fetch(`${platform.url}/proxy/x`, {
    headers: { ...callHeaders("one"), ...headers },
  });
  return new Response(await response.text(), {
    status: response.status,
    headers: response.headers,
  });
}

/** Calls until one is refused; a window may end in between, then a few more get through. */
async function callUntilRefused(headers: Readonly<Record<string, string>>) {
  const passed: Response[] = [];
  for (let n = 0; n < 3 * LIMIT; n += 1) {
    const response = await call(headers);
    if (response.status === 429) return { passed, refused: response };
    passed.push(response);
  }
  throw new Error("nothing was refused");
}

test("calls go out in the operator's spelling until the limit, and past it none reaches the provider", async () => {
  const headers = { "Acme-Proxy-X-Own": "1", "acme-is-sync": "true" };

  const { passed, refused } = await callUntilRefused(headers);
  const seen = arrived.length;
  const again = await call(headers);

  expect(passed.length).toBeGreaterThan(0);
  expect(seen).toBe(passed.length);
  for (const one of arrived) {
    expect(one).toMatchObject({ "x-own": "1", authorization: "Bearer secret" });
    expect(Object.keys(one).filter((name) => /acme|svc/.test(name))).toEqual([]);
  }
  // A proxied answer has the provider's headers and none of the server's.
  expect(passed.map(({ headers: answered }) => answered.get("x-ratelimit-limit"))).toEqual(
    passed.map(() => "provider's own"),
  );
  expect(passed.some(({ headers: answered }) => answered.has("x-ratelimit-remaining"))).toBe(false);
  expect(refused.headers.get("svc-error-source")).toBe("platform");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(await refused.json()).toMatchObject({ error: { code: "too_many_request" } });
  expect(again.status === 429 ? arrived.length : arrived.length - 1).toBe(seen);
});
