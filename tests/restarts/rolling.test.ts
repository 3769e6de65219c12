import { afterAll, beforeAll, expect, test } from "vitest";
import { apiOf } from "../journeys/api.ts";
import { startNginx } from "../proxy/start-nginx.ts";
import { requireTool } from "../require-tool.ts";
import { type Fleet, startFleet, startLoad } from "./roll.ts";
import { startHaproxy, untilAllUsed } from "./start-haproxy.ts";

const cleanUp = new AsyncDisposableStack();
let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet(cleanUp);
});
afterAll(async () => await cleanUp.disposeAsync());

async function rollUnderLoad(port: number, untilBack?: () => Promise<unknown>) {
  const load = startLoad(`http://127.0.0.1:${port}`, fleet.key);
  const codes = await fleet.roll(untilBack);
  const { sent, failures } = await load.stop();
  return { codes, sent, failures };
}

test("behind HAProxy processes are restarted in turn without a failed request", async (context) => {
  await using balancer = await startHaproxy(requireTool("haproxy", context), fleet.urls);

  const back = async () => await untilAllUsed(balancer);
  const { codes, sent, failures } = await rollUnderLoad(balancer.port, back);

  expect(codes).toEqual([0, 0]);
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(200);
});

test("nor behind nginx, which does not ask whether they are ready", async (context) => {
  await using balancer = await startNginx({
    command: requireTool("nginx", context),
    upstreamUrls: fleet.urls,
    lines: ["proxy_next_upstream error timeout;"],
  });

  const { codes, sent, failures } = await rollUnderLoad(balancer.port);

  expect(codes).toEqual([0, 0]);
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(200);
});

test("a stream of events ends with the drain, and another process continues with it", async (context) => {
  await using balancer = await startHaproxy(requireTool("haproxy", context), fleet.urls);
  const api = apiOf(`http://127.0.0.1:${balancer.port}`, fleet.key);
  await api("POST", "/integrations", {
    body: { provider: "unauthenticated", unique_key: "open" },
  });
  const { token } = (await api("POST", "/connect/sessions", { body: { tags: {} } })).body.data;
  const listening = listenUntilSuccess(`http://127.0.0.1:${balancer.port}`, token);

  const codes = await fleet.roll(async () => await untilAllUsed(balancer));
  const made = await api("POST", `/auth/unauthenticated/open?connect_session_token=${token}`, {});
  const { streams, states } = await listening;

  expect(codes).toEqual([0, 0]);
  expect(made.status).toBe(200);
  expect(streams).toBeGreaterThan(1);
  expect(new Set(states)).toEqual(new Set(["waiting", "success"]));
});

/** As an EventSource does it: opens the stream again whenever it ends. */
async function listenUntilSuccess(url: string, token: string) {
  const states: string[] = [];
  let streams = 0;
  while (!states.includes("success")) {
    streams += 1;
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await fetch(`${url}/connect/session/events`, { headers });
    let text = "";
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
    states.push(...[...text.matchAll(/"state":"(\w+)"/g)].map(([, state = ""]) => state));
  }
  return { streams, states };
}
