import { afterAll, beforeAll, expect, test } from "vitest";
import { startNginx } from "../proxy/start-nginx.ts";
import { requireTool } from "../require-tool.ts";
import { type Fleet, startFleet, startLoad } from "../restarts/roll.ts";
import { startHaproxy, untilAllUsed } from "../restarts/start-haproxy.ts";

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
    const untilBack = async () => void (kind === "haproxy" && (await untilAllUsed(balancer)));
    const load = startLoad(`http://127.0.0.1:${balancer.port}`, fleet.key);
    let restarts = 0;

    while (load.sent < REQUESTS) {
      expect(await fleet.roll(untilBack)).toEqual([0, 0]);
      restarts += 2;
    }
    const { sent, failures } = await load.stop();

    const facts = `${sent} requests, ${restarts} restarts, ${failures.length} failed`;
    process.stdout.write(`${kind}: ${facts}\n`);
    expect(failures).toEqual([]);
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
