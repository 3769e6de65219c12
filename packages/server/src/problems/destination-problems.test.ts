import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { destinations } from "#destinations";
import { bucketEnvironment, startTestBucket } from "#destinations/testing";
import { MINUTE } from "#foundation";
import { type TestApp, testApp } from "#testing";
import { problems } from "./index.ts";
import { sweepProblems } from "./sweep-problems.ts";

let app: TestApp;
let own: Awaited<ReturnType<typeof bucketEnvironment>>;

beforeAll(async () => {
  app = await testApp({
    slices: [problems, destinations],
    caller: async ({ signal }) => ({ ...own.ctx, signal }),
  });
  own = await bucketEnvironment(app);
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function list(): Promise<Record<string, unknown>[]> {
  await sweepProblems(own.ctx);
  return (await app.server.inject({ method: "GET", url: "/problems" })).json().data;
}

test("a target that is away for minutes is a problem, which ends by itself once it is back", async () => {
  await using bucket = await startTestBucket();
  await own.create(bucket);
  await own.save("Contact", ["1"]);
  bucket.answer = (_request, response) => void response.writeHead(503).end();
  await own.deliverWhenDue();
  const first = await list();
  await own.deliverWhenDue();
  const opened = await list();
  bucket.answer = undefined;
  await own.deliverWhenDue();
  await sleep(1);
  const closed = await list();

  expect(first).toEqual([]);
  expect(opened).toMatchObject([
    {
      ...{ kind: "destination_failing", state: "open", count: 1 },
      title: "Changes of records are not delivered to lake",
      cause: expect.stringContaining("503"),
    },
  ]);
  expect(closed).toMatchObject([{ id: opened[0]?.["id"], state: "resolved" }]);
  expect(Date.parse(String(opened[0]?.["since"]))).toBeLessThan(app.clock.now().getTime() - MINUTE);
});
