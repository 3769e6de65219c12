// Callers of one address over raw sockets, in a process of their own: cheap, so that what is measured is the other side.
import { connect, type Socket } from "node:net";
import * as z from "zod";

const plan = z
  .object({
    url: z.url(),
    headers: z.record(z.string(), z.string()),
    callers: z.number(),
    durationMs: z.number(),
    /** Sent with POST; calls without one are GET. */
    body: z.string().optional(),
  })
  .parse(JSON.parse(process.argv[2] ?? ""));

const { hostname, port, host, pathname } = new URL(plan.url);
const body = plan.body ?? "";
const length = plan.body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
const lines = Object.entries({ host, ...plan.headers, ...length }).map(
  ([name, value]) => `${name}: ${value}`,
);
const method = plan.body === undefined ? "GET" : "POST";
const request = Buffer.from(
  `${method} ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`,
);
const until = performance.now() + plan.durationMs;
const times: number[] = [];

await Promise.all(Array.from({ length: plan.callers }, callAgainAndAgain));
times.sort((a, b) => a - b);
const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
const maxMs = times.at(-1) ?? Number.NaN;
console.log(JSON.stringify({ calls: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs }));

async function callAgainAndAgain(): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${plan.url} closed the connection`)));
    takeAnswers(socket, resolve);
  });
  socket.destroy();
}

function takeAnswers(socket: Socket, done: () => void): void {
  let received = 0;
  let expected: number | undefined;
  let startedAt = performance.now();
  socket.on("data", (chunk: Buffer) => {
    received += chunk.byteLength;
    // The head of an answer comes in one piece.
    expected ??= readLength(chunk);
    if (received < expected) return;
    const now = performance.now();
    times.push(now - startedAt);
    if (now > until) return done();
    received = 0;
    expected = undefined;
    startedAt = now;
    socket.write(request);
  });
  socket.write(request);
}

/** Bytes of the whole answer. */
function readLength(chunk: Buffer): number {
  const end = chunk.indexOf("\r\n\r\n");
  const head = chunk.subarray(0, end).toString("latin1");
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (!head.startsWith("HTTP/1.1 200") || length === undefined) throw new Error(chunk.toString());
  return end + 4 + Number(length);
}
