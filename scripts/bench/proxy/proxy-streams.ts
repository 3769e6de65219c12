import { Agent, type IncomingMessage, request as sendRequest } from "node:http";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readCpuTime } from "../meters/cpu-time.ts";
import { readMemoryMb } from "../meters/read-memory.ts";
import type { BenchRow } from "../meters/row.ts";
import type { ProxySetup, ProxyTarget } from "./proxy-setup.ts";

const MB = 1024 * 1024;
const BODY_BYTES = 10 * MB;
const CALLERS = 4;
const ROUND_MS = 1500;
const LONG_BYTES = 2048 * MB;
const WARM_UP_BYTES = 256 * MB;
const SAMPLE_MS = 50;
const PARALLEL = 20;
const PARALLEL_BYTES = 200 * MB;

type Direction = "down" | "up";
const directions = ["down", "up"] as const;

/** Bodies of 10 MB both ways, and one of 2 GB each way with the memory that it takes. */
export async function benchStreams(setup: ProxySetup): Promise<BenchRow[]> {
  const { upstream, nginx, bare, ours } = setup;
  const targets = [upstream, ...(nginx === undefined ? [] : [nginx]), bare, ours];
  const rows: BenchRow[] = [];
  for (const direction of directions) {
    const rates = new Map<ProxyTarget, Awaited<ReturnType<typeof runStreams>>>();
    for (const target of targets) rates.set(target, await runStreams(target, direction));
    const baseline = { name: bare.name, value: rates.get(bare)?.perSecond ?? Number.NaN };
    for (const [target, { perSecond, cpuMs }] of rates) {
      rows.push({
        name: `proxy, 10 MB ${direction}: ${target.name}`,
        value: perSecond,
        unit: "MB/s",
        ...(target === bare ? {} : { baseline }),
        note: `${cpuMs.toFixed(2)} ms CPU a MB`,
      });
    }
  }
  for (const direction of directions) rows.push(...(await benchLong(ours, direction)));
  for (const direction of directions) rows.push(await benchParallel(ours, direction));
  return rows;
}

async function runStreams(
  target: ProxyTarget,
  direction: Direction,
): Promise<{ perSecond: number; cpuMs: number }> {
  await transfer(target, direction, BODY_BYTES);
  const before = readCpuTime(target.processId);
  const startedAt = performance.now();
  let megabytes = 0;
  const call = async (): Promise<void> => {
    while (performance.now() < startedAt + ROUND_MS) {
      await transfer(target, direction, BODY_BYTES);
      megabytes += BODY_BYTES / MB;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = readCpuTime(target.processId);
  const belowMs = target.hasWorkers === true ? after.belowMs - before.belowMs : 0;
  const cpuMs = (after.ownMs - before.ownMs + belowMs) / megabytes;
  return { perSecond: megabytes / seconds, cpuMs };
}

/** Growth past the warm-up, and its slope over the bytes that went through. */
async function benchLong(target: ProxyTarget, direction: Direction): Promise<BenchRow[]> {
  await transfer(target, direction, WARM_UP_BYTES);
  const base = readMemoryMb(target.processId).now;
  const samples: [gigabytes: number, megabytes: number][] = [];
  const startedAt = performance.now();
  let sampledAt = startedAt;
  await transfer(target, direction, LONG_BYTES, (bytes) => {
    const now = performance.now();
    if (now < sampledAt + SAMPLE_MS) return;
    sampledAt = now;
    samples.push([bytes / 1024 / MB, readMemoryMb(target.processId).now]);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const growth = Math.max(...samples.map(([, megabytes]) => megabytes)) - base;
  const note = `${(LONG_BYTES / MB / seconds).toFixed(0)} MB/s, from ${base.toFixed(0)} MB`;
  return [
    { name: `proxy, 2 GB ${direction}: growth of memory`, value: growth, unit: "MB", note },
    { name: `proxy, 2 GB ${direction}: slope`, value: slopeOf(samples), unit: "MB a GB" },
  ];
}

/** Growth by many streams at a time. */
async function benchParallel(target: ProxyTarget, direction: Direction): Promise<BenchRow> {
  const base = readMemoryMb(target.processId).now;
  let highest = base;
  let sampledAt = performance.now();
  const sample = (): void => {
    const now = performance.now();
    if (now < sampledAt + SAMPLE_MS) return;
    sampledAt = now;
    highest = Math.max(highest, readMemoryMb(target.processId).now);
  };
  const streams = Array.from({ length: PARALLEL }, async () => {
    await transfer(target, direction, PARALLEL_BYTES, sample);
  });
  await Promise.all(streams);
  const name = `proxy, ${PARALLEL} times 200 MB ${direction}: growth of memory`;
  return { name, value: highest - base, unit: "MB", note: `from ${base.toFixed(0)} MB` };
}

/** Least squares. */
function slopeOf(points: readonly [x: number, y: number][]): number {
  const mean = (read: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + read(point), 0) / points.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  return mean(([at, value]) => (at - x) * (value - y)) / mean(([at]) => (at - x) ** 2);
}

const agent = new Agent({ keepAlive: true });
const piece = Buffer.alloc(64 * 1024, "z");

async function transfer(
  { url, headers }: ProxyTarget,
  direction: Direction,
  bytes: number,
  progress: (bytes: number) => void = () => {},
): Promise<void> {
  const isUp = direction === "up";
  const call = sendRequest(isUp ? `${url}/x` : `${url}/x?bytes=${bytes}`, {
    method: isUp ? "POST" : "GET",
    headers: isUp ? { ...headers, "content-length": bytes } : { ...headers },
    agent,
  });
  const answering = new Promise<IncomingMessage>((resolve, reject) => {
    call.once("response", resolve);
    call.once("error", reject);
  });
  if (isUp) await pipeline(Readable.from(repeat(bytes, progress)), call);
  else call.end();
  const answer = await answering;
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
  let received = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      received += chunk.byteLength;
      if (!isUp) progress(received);
      done();
    },
  });
  await pipeline(answer, sink);
  if (!isUp && received !== bytes) throw new Error(`${received} of ${bytes} bytes came`);
}

function* repeat(bytes: number, progress: (bytes: number) => void): Generator<Buffer> {
  for (let sent = 0; sent < bytes; sent += piece.byteLength) {
    progress(sent);
    yield bytes - sent < piece.byteLength ? piece.subarray(0, bytes - sent) : piece;
  }
}
