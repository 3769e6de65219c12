import { execFile } from "node:child_process";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import {
  addConnection,
  addIntegration,
  callHeaders,
  startPlatform,
  startUpstream,
} from "../proxy/proxied-api.ts";
import { requireTool } from "../require-tool.ts";

const LIMIT = 1024;

test("without a descriptor left it lives on, and serves again when there are some", async (context) => {
  const prlimit = requireTool("prlimit", context);
  await using stack = new AsyncDisposableStack();
  const upstreamUrl = await startUpstream(stack, (_request, response) => response.end("ok"));
  const platform = await startPlatform(stack, { SVC_LOG_LEVEL: "silent" });
  await addIntegration(platform, upstreamUrl);
  const headers = callHeaders(await addConnection(platform));
  const call = async (): Promise<number> => {
    const signal = AbortSignal.timeout(1000);
    const answering = fetch(`${platform.url}/proxy/x`, { headers, signal });
    return await answering.then(({ status }) => status).catch(() => 0);
  };
  const limits = ["--pid", String(platform.processId), `--nofile=${LIMIT}:${LIMIT}`];
  await promisify(execFile)(prlimit, limits);
  const { hostname, port } = new URL(platform.url);

  const crowd: Socket[] = [];
  for (let count = 0; count < 2 * LIMIT; count += 1) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    crowd.push(socket);
  }
  // Until all that fit are accepted.
  while ((await call()) === 200) await sleep(50);
  for (const socket of crowd) socket.destroy();
  const freedAt = performance.now();
  while ((await call()) !== 200) await sleep(50);
  const recoveredMs = performance.now() - freedAt;

  expect(recoveredMs).toBeLessThan(5000);
  expect(await platform.stop()).toBe(0);
}, 60_000);
