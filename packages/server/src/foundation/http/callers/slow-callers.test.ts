import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { defineRoute } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createLogger } from "#foundation";
import { createHttpServer, serveRoutes } from "#foundation/http";
import { ServerStates } from "../../server-state.ts";

const shared = {
  summary: "Test",
  principals: ["public"],
  scope: "public",
  errors: [],
  idempotent: false,
} as const;

const routes = {
  save: defineRoute({
    ...shared,
    method: "POST",
    path: "/things",
    body: z.unknown(),
    success: { status: 200, schema: z.unknown() },
  }),
  pass: defineRoute({
    ...shared,
    method: "ANY",
    bodyLimit: "stream",
    path: "/raw/{path+}",
    success: { status: 200 },
    raw: true,
    sessions: "refused",
  }),
};

interface Wire {
  readonly request: { readonly raw: IncomingMessage };
  readonly reply: { hijack(): void; readonly raw: ServerResponse };
}

// Long in proportion to each other, and short enough for a test.
const deadlines = { headMs: 400, bodyMs: 900, stillMs: 500, idleMs: 1500 };
let taking = Promise.withResolvers<void>();
const server = await createHttpServer({
  routes: serveRoutes(routes, {
    save: async () => ({}),
    pass: async (_ctx, _input, { request: { raw }, reply }: Wire) => {
      reply.hijack();
      if (raw.url === "/raw/endless") return sendEndlessly(reply.raw);
      if (raw.url === "/raw/later") await taking.promise;
      let size = 0;
      for await (const chunk of raw) size += chunk.length;
      reply.raw.end(String(size));
    },
  }),
  authorize: async () => ({ state: new ServerStates() }) as never,
  bodyLimitBytes: 1000,
  log: createLogger("silent"),
  newErrorId: () => "1",
  deadlines,
});

function sendEndlessly(response: ServerResponse): void {
  const send = () => {
    while (response.write(Buffer.alloc(64 * 1024))) {}
  };
  response.on("drain", send);
  send();
}

beforeAll(async () => void (await server.listen({ host: "127.0.0.1", port: 0 })));
afterAll(async () => {
  server.server.closeAllConnections();
  await server.close();
});

const head = "POST /raw/x HTTP/1.1\r\nHost: x\r\n";

async function open(start: string): Promise<Socket> {
  const address = portOf(server.server);
  const socket = connect(address, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(start);
  return socket;
}

function portOf(listening: Server): number {
  const address = listening.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** Sends the pieces one after the other, with as much time between them; stops when it is cut off. */
async function trickle(socket: Socket, pieces: readonly string[], everyMs: number): Promise<void> {
  for (const piece of pieces) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (socket.destroyed || !socket.writable) return;
    socket.write(piece);
  }
}

test("a long body continues as long as something comes", async () => {
  const pieces = Array.from({ length: 8 }, () => "x".repeat(10));
  const socket = await open(`${head}Content-Length: 80\r\nConnection: close\r\n\r\n`);

  const answer = text(socket);
  const startedAt = performance.now();
  await trickle(socket, pieces, 200);

  expect(await answer).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n80$/s);
  expect(performance.now() - startedAt).toBeGreaterThan(deadlines.bodyMs);
});

test.each([
  ["a head that does not end", "POST /raw/x HTTP/1.1\r\nHost: x\r\n", "X-A: 1\r\n", "408"],
  ["a body that stands still", `${head}Content-Length: 80\r\n\r\nxx`, "", "408"],
  [
    "a small body that comes too slowly",
    "POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 80\r\n\r\n",
    "1",
    "408",
  ],
])("%s is cut off", async (_name, start, piece, status) => {
  const socket = await open(start);

  const answer = text(socket);
  const ended = trickle(socket, Array(50).fill(piece), 100);

  expect(await answer).toContain(`HTTP/1.1 ${status} `);
  socket.destroy();
  await ended;
});

test("a caller that takes nothing of its answer is cut off", async () => {
  const socket = await open("GET /raw/endless HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.pause();

  const [request] = await once(server.server, "request");
  await once(request.socket, "close");

  expect(request.socket.destroyed).toBe(true);
  socket.destroy();
});

test("while the platform takes its time, the caller is not at fault", async () => {
  taking = Promise.withResolvers();
  const socket = await open(
    `${head.replace("/x", "/later")}Content-Length: 2\r\nConnection: close\r\n\r\nxx`,
  );
  const answer = text(socket);
  setTimeout(taking.resolve, 3 * deadlines.stillMs);

  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
});

test("a connection without a request is closed after a while, not at once", async () => {
  const socket = await open("GET /raw/x HTTP/1.1\r\nHost: x\r\n\r\n");
  const startedAt = performance.now();

  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
  expect(performance.now() - startedAt).toBeGreaterThan(deadlines.idleMs);
});

test("a head of 17 KB is refused with an answer that says so", async () => {
  const socket = await open(`${head}X-Long: ${"x".repeat(17 * 1024)}\r\n\r\n`);

  expect(await text(socket)).toContain("HTTP/1.1 431 ");
});
