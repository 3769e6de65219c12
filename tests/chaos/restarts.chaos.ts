import { afterAll, beforeAll, expect, test } from "vitest";
import { startNginx } from "../proxy/start-nginx.ts";
import { requireTool } from "../require-tool.ts";
import { type Fleet, startFleet, startLoad } from "../restarts/roll.ts";
import { startHaproxy } from "../restarts/start-haproxy.ts";

const REQUESTS = 5000;

const cleanUp = new AsyncDisposableStack();
let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet(cleanUp);
});
afterAll(async () => await cleanUp.disposeAsync());

test.for(["haproxy", "nginx"] as const)(
  "5000 requests through %s while processes are restarted in turn",
  async (kind, context) => {
    await using balancer = await start(kind, requireTool(kind, context));
    const load = startLoad(`http://127.0.0.1:${balancer.port}`, fleet.key);
    let restarts = 0;

    while (load.sent < REQUESTS) {
      expect(await fleet.roll()).toEqual([0, 0]);
      restarts += 2;
    }
    const { sent, failures } = await load.stop();

    const facts = `${sent} requests, ${restarts} restarts, ${failures.length} failed`;
    process.stdout.write(`${kind}: ${facts}\n`);
    // nginx does not ask whether a process is ready: see docs/configuration.md.
    if (kind === "haproxy") expect(failures).toEqual([]);
    expect(failures.filter((failure) => failure !== "POST 502")).toEqual([]);
    expect(failures.length).toBeLessThan(1 + restarts / 4);
  },
);

async function start(kind: "haproxy" | "nginx", command: string) {
  return kind === "haproxy"
    ? await startHaproxy(command, fleet.urls)
    : await startNginx({
        command,
        upstreamUrls: fleet.urls,
        lines: ["proxy_next_upstream error timeout;"],
      });
}
