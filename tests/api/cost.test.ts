import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type CostSweep,
  LARGEST_REFUSAL,
  mayCost,
  startSweep,
  sweptRoutes,
  takesBody,
  toErrand,
  toHead,
} from "./cost/cost-sweep.ts";
import { shapeNames } from "./cost/shapes.ts";

// No request holds up the process: the main thread works on any request for at most 50 ms a megabyte and
// 250 ms in all. tests/chaos/cost.chaos.ts tries every size.

const MOST_BYTES = 800_000;

let sweep: CostSweep;
beforeAll(async () => {
  sweep = await startSweep();
});
afterAll(async () => await sweep[Symbol.asyncDispose]());

const withBody = sweptRoutes.filter(([, swept]) => takesBody(swept));

/** A call that a provider does not answer is 502, and no fault of the server. */
function isFault(status: number): boolean {
  return status === 0 || (status >= 500 && status !== 502);
}

test.each(withBody)("%s reads no body at any cost", { timeout: 120_000 }, async (_name, swept) => {
  const wrong: string[] = [];
  for (const shape of shapeNames) {
    const errand = toErrand(sweep, swept, { shape, mostBytes: MOST_BYTES });
    const { status, cpuMs, sentBytes, answerBytes, begin } = await sweep.measure(errand);
    const reported = `${shape}: ${status} after ${Math.round(cpuMs)} ms for ${sentBytes} bytes, ${begin.slice(0, 150)}`;
    if (isFault(status)) wrong.push(reported);
    if (cpuMs > mayCost(sentBytes)) wrong.push(reported);
    if (status >= 400 && answerBytes > LARGEST_REFUSAL)
      wrong.push(`${reported}: ${answerBytes} bytes`);
  }

  expect(wrong).toEqual([]);
});

const long = "a-".repeat(3000);
const heads = [
  ["a long path", (url: string) => url.replace(/(\/[^/?]+)?(\?|$)/, `/${long}$2`)],
  ["a long value", (url: string) => `${url}${url.includes("?") ? "&" : "?"}search=${long}`],
  ["many values", (url: string) => withQuery(url, (at) => `x${at}=${at}`)],
  ["one name many times", (url: string) => withQuery(url, () => "limit=1")],
  ["brackets", (url: string) => withQuery(url, () => "tags[a][b][c][d][e][f]=1")],
  ["separators", (url: string) => withQuery(url, () => "states=,,,,,,")],
] as const;

function withQuery(url: string, part: (at: number) => string): string {
  const parts = Array.from({ length: 500 }, (_, at) => part(at));
  return `${url}${url.includes("?") ? "&" : "?"}${parts.join("&")}`;
}

test.each(sweptRoutes)("%s reads no address at any cost", async (_name, swept) => {
  const wrong: string[] = [];
  for (const [shape, change] of heads) {
    const head = toHead({ url: sweep.api.url, keys: sweep.keys }, swept);
    const errand = { ...head, url: change(head.url), body: { text: "{}" } };
    const { status, cpuMs, answerBytes, begin } = await sweep.measure(errand);
    const reported = `${shape}: ${status} after ${Math.round(cpuMs)} ms, ${begin.slice(0, 150)}`;
    if (isFault(status) || cpuMs > mayCost(0)) wrong.push(reported);
    if (status >= 400 && answerBytes > LARGEST_REFUSAL)
      wrong.push(`${reported}: ${answerBytes} bytes`);
  }

  expect(wrong).toEqual([]);
});

/** What it costs to take bytes from a socket and to drop them, in milliseconds. */
const costOfDropping = (bytes: number): number => 20 + (10 * bytes) / 1e6;

test.each(withBody)("%s looks at who asks before it looks at the body", async (_name, swept) => {
  if (swept.route.scope === "public" && swept.route.sessionInQuery !== true) return;
  const keys = {
    dev: await sweep.api.keyOf("account", ["account:environments:list"]),
    account: sweep.keys.dev,
    session: `svc_connect_session_${"0".repeat(64)}`,
    agent: `svc_agent_${"0".repeat(64)}`,
  };
  const errand = toErrand({ api: sweep.api, keys }, swept, {
    shape: "wide",
    mostBytes: MOST_BYTES,
  });

  const { status, cpuMs, sentBytes, begin } = await sweep.measure(errand, costOfDropping);

  expect([401, 403], begin).toContain(status);
  expect(cpuMs).toBeLessThanOrEqual(costOfDropping(sentBytes));
});
