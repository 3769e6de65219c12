import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { runLoad } from "../load/run-load.ts";
import { readMemoryMb } from "../meters/read-memory.ts";
import type { BenchRow } from "../meters/row.ts";
import type { ProxySetup, ProxyTarget } from "./proxy-setup.ts";

const LOAD = { callers: 4, durationMs: 4000 };
const SLOW_UPSTREAMS = 50;
const SLOW_CALLERS = 1000;
// Until the buffers of those that take nothing are full.
const SETTLE_MS = 2000;
const IDLE_CALLERS = 5000;
// The head's deadline, and what the check for it may take more.
const HEAD_CLOSED_MS = 12_000;

/** What others notice of providers and callers that are slow on purpose. */
export async function benchCrowds({ ours }: ProxySetup): Promise<BenchRow[]> {
  return [...(await benchSlowUpstreams(ours)), ...(await benchSlowCallers(ours))];
}

async function benchSlowUpstreams(ours: ProxyTarget): Promise<BenchRow[]> {
  const call = writeHead(ours, "GET", "/x?trickle=1", []);
  const crowd = Array.from({ length: SLOW_UPSTREAMS }, () => `${call}\r\n`);
  return await benchBeside(ours, `${SLOW_UPSTREAMS} providers that send a byte a second`, crowd);
}

/** Heads and bodies that do not come, some answers that are not taken; and idle ones. */
async function benchSlowCallers(ours: ProxyTarget): Promise<BenchRow[]> {
  const slowHead = writeHead(ours, "GET", "/x", []);
  const slowBody = `${writeHead(ours, "POST", "/x", ["content-length: 100"])}\r\nx`;
  const slowRead = `${writeHead(ours, "GET", "/x?bytes=1000000000", [])}\r\n`;
  const slow = Array.from({ length: SLOW_CALLERS }, (_, index) => {
    if (index % 20 === 0) return slowRead;
    return index % 2 === 0 ? slowBody : slowHead;
  });
  const idle = Array.from({ length: IDLE_CALLERS }, () => "");
  const rows = await benchBeside(ours, `${SLOW_CALLERS} slow callers`, slow);
  return [...rows, ...(await benchBeside(ours, `${IDLE_CALLERS} idle callers`, idle))];
}

function writeHead(
  { url, headers }: ProxyTarget,
  method: string,
  path: string,
  further: readonly string[],
): string {
  const { host, pathname } = new URL(url);
  const own = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${pathname}${path} HTTP/1.1`, ...own, ...further].join("\r\n")}\r\n`;
}

/** Latency of others before and while so many connections have sent what is given, and memory. */
async function benchBeside(
  ours: ProxyTarget,
  name: string,
  crowd: readonly string[],
): Promise<BenchRow[]> {
  const before = await runLoad(ours, LOAD);
  const base = readMemoryMb(ours.processId).now;
  const sockets = await openAll(ours, crowd);
  const openedAt = performance.now();
  await sleep(SETTLE_MS);
  const during = await runLoad(ours, LOAD);
  const growth = readMemoryMb(ours.processId).now - base;
  const heads = sockets.filter((_, index) => isOpenHead(crowd[index] ?? ""));
  const left = HEAD_CLOSED_MS - (performance.now() - openedAt);
  if (heads.length > 0) await sleep(Math.max(0, left));
  const closed = heads.filter((socket) => socket.destroyed).length;
  for (const socket of sockets) socket.destroy();
  const note = heads.length === 0 ? {} : { note: `${closed} of ${heads.length} open heads closed` };
  return [
    {
      name: `proxy, p99 of others next to ${name}`,
      value: during.p99Ms,
      unit: "ms",
      baseline: { name: "what it is without", value: before.p99Ms },
    },
    { name: `proxy, growth of memory by ${name}`, value: growth, unit: "MB", ...note },
  ];
}

function isOpenHead(sent: string): boolean {
  return sent !== "" && !sent.includes("\r\n\r\n");
}

async function openAll({ url }: ProxyTarget, crowd: readonly string[]): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (const text of crowd) {
    const socket = connect(Number(port), hostname);
    // Not read from: what it does not take stays with the server.
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    if (isOpenHead(text)) socket.resume();
    if (text !== "") socket.write(text);
    sockets.push(socket);
  }
  return sockets;
}
