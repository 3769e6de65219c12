// Calls one address so many times a second over raw sockets, however long its answers take, in a process of its own.
// Latencies count from when a call was due, so that a stall of the other side is seen by all that it holds up.
import { connect, type Socket } from "node:net";
import * as z from "zod";

const plan = z
  .object({
    url: z.url(),
    headers: z.record(z.string(), z.string()),
    perSecond: z.number(),
    sockets: z.number(),
    durationMs: z.number(),
    /** Sent with POST; calls without one are GET. */
    body: z.string().optional(),
  })
  .parse(JSON.parse(process.argv[2] ?? ""));

const TICK_MS = 2;

const { hostname, port, host, pathname, search } = new URL(plan.url);
const body = plan.body ?? "";
const length = plan.body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
const lines = Object.entries({ host, ...plan.headers, ...length }).map(
  ([name, value]) => `${name}: ${value}`,
);
const method = plan.body === undefined ? "GET" : "POST";
const request = Buffer.from(
  `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`,
);

const idle: Caller[] = [];
const due: number[] = [];
const times: number[] = [];
const statuses: Record<string, number> = {};
let withoutRetryAfter = 0;

class Caller {
  readonly #socket: Socket;
  #dueAt = 0;
  #received = "";

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => fail(error.message));
    socket.on("close", () => fail("the connection was closed"));
  }

  send(dueAt: number): void {
    this.#dueAt = dueAt;
    this.#socket.write(request);
  }

  #take(chunk: Buffer): void {
    this.#received += chunk.toString("latin1");
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = this.#received.slice(0, end);
    const expected = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (expected === undefined) {
      fail(head);
      return;
    }
    if (this.#received.length < end + 4 + Number(expected)) return;
    const status = head.slice(9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === "429" && !/\r\nretry-after: [1-9]/i.test(head)) withoutRetryAfter += 1;
    times.push(performance.now() - this.#dueAt);
    this.#received = "";
    idle.push(this);
    sendDue();
  }
}

function fail(reason: string): void {
  if (isOver) return;
  console.error(`${plan.url}: ${reason}`);
  process.exit(1);
}

function sendDue(): void {
  while (due.length > 0 && idle.length > 0) idle.pop()?.send(due.shift() ?? 0);
}

let isOver = false;
const sockets = await Promise.all(
  Array.from({ length: plan.sockets }, async () => {
    const socket = connect(Number(port), hostname);
    await new Promise((resolve) => socket.once("connect", resolve));
    idle.push(new Caller(socket));
    return socket;
  }),
);
const startedAt = performance.now();
let begun = 0;
const ticks = setInterval(() => {
  const now = performance.now();
  const wanted = ((Math.min(now, startedAt + plan.durationMs) - startedAt) * plan.perSecond) / 1000;
  for (; begun < wanted; begun += 1) due.push(startedAt + (begun * 1000) / plan.perSecond);
  sendDue();
  if (now >= startedAt + plan.durationMs) finish(now);
}, TICK_MS);

function finish(now: number): void {
  clearInterval(ticks);
  isOver = true;
  // What waits still is as late as it is now.
  for (const dueAt of due) times.push(now - dueAt);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  const answered = times.length - due.length;
  console.log(
    JSON.stringify({
      perSecond: (1000 * answered) / (now - startedAt),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      statuses,
      withoutRetryAfter,
    }),
  );
  for (const socket of sockets) socket.destroy();
}
