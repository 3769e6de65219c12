import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { toWire } from "./testing/answer-samples.ts";
import { startFastPath } from "./testing/fast-path-server.ts";
import {
  callProxy,
  openCall,
  prepareConnection,
  startProxy,
  waitForAnswer,
} from "./testing/proxy-under-test.ts";
import { type RawUpstream, startRawUpstream } from "./testing/raw-upstream.ts";

const SLOTS = 5;
const CEILING = 4;

let installation: TestContext;
let slow: RawUpstream;
let quick: RawUpstream;
/** Answers of the slow provider that are still to come. */
const held: (() => void)[] = [];
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  installation = cleanUp.use(await createTestContext());
  await ensureLogPartitions(installation.ctx);
  slow = cleanUp.use(await startRawUpstream());
  quick = cleanUp.use(await startRawUpstream());
  slow.respond = (socket) => {
    held.push(() => socket.write(toWire({ name: "", body: "late" })));
  };
  quick.respond = (socket) => socket.write(toWire({ name: "", body: "ok" }));
});
afterEach(() => {
  for (const answer of held.splice(0)) answer();
});
afterAll(async () => await cleanUp.disposeAsync());

async function enter(): Promise<EnvironmentContext> {
  const ctx = await installation.addEnvironment();
  return { ...ctx, settings: { ...ctx.settings, proxyCalls: SLOTS } };
}

function headerOf({ headers }: { headers: string[] }, name: string): string | undefined {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at === -1 ? undefined : headers[at + 1];
}

test("calls of one environment to a slow provider leave slots to another's, and get a Retry-After", async () => {
  const [greedy, other] = [await enter(), await enter()];
  await using proxy = await startProxy(greedy);
  const crowd = await prepareConnection(greedy, { baseUrl: slow.origin });
  const single = await prepareConnection(other, { baseUrl: quick.origin });
  const waiting = Array.from({ length: CEILING }, () => callProxy(proxy, crowd));
  await expect.poll(() => held.length).toBe(CEILING);

  const refused = await callProxy(proxy, crowd);
  proxy.caller = other;
  const answers = [await callProxy(proxy, single), await callProxy(proxy, single)];

  expect([refused.status, headerOf(refused, "retry-after")]).toEqual([429, "1"]);
  expect(headerOf(refused, "svc-error-source")).toBe("platform");
  expect(JSON.parse(refused.body.toString()).error).toMatchObject({
    code: "too_many_request",
    message: expect.stringContaining("4 calls of the environment are under way"),
  });
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  for (const answer of held.splice(0)) answer();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  proxy.caller = greedy;
  const again = callProxy(proxy, crowd);
  await expect.poll(() => held.length).toBe(1);
  for (const answer of held.splice(0)) answer();
  expect((await again).status).toBe(200);
});

test("calls on the short way hold slots too, until the answer has gone or the caller has left", async () => {
  const [greedy, other] = [await enter(), await enter()];
  await using server = await startFastPath(greedy);
  await using otherServer = await startFastPath(other);
  const crowd = await prepareConnection(greedy, { baseUrl: slow.origin });
  const single = await prepareConnection(other, { baseUrl: quick.origin });
  await server.warm(crowd);
  await otherServer.warm(single);
  const calls = Array.from({ length: CEILING }, () => openCall(server, crowd, {}));
  const answering = calls.map(async (call) => {
    call.end();
    return await waitForAnswer(call).catch(() => undefined);
  });
  await expect.poll(() => held.length).toBe(CEILING);

  const past = await callProxy(server, crowd);
  const served = await callProxy(otherServer, single);
  calls[0]?.destroy();

  // What found no slot on the short way is answered on the whole one, here by the test.
  expect([past.status, served.status, server.passedOn.length]).toEqual([599, 200, 1]);
  await expect
    .poll(async () => {
      const call = openCall(server, crowd, {});
      call.on("error", () => undefined);
      call.end();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return held.length;
    })
    .toBe(CEILING + 1);
  for (const answer of held.splice(0)) answer();
  await Promise.all(answering);
});
