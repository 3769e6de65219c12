import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import fastify from "fastify";
import { expect, test } from "vitest";
import { closeAfterAnswers, closeWithin, refuseConnections } from "./leaving.ts";

const LONG_MS = 60_000;

async function start() {
  const refusing = new AbortController();
  const app = fastify({ forceCloseConnections: "idle", return503OnClosing: false });
  closeAfterAnswers(app.server, refusing.signal);
  app.post("/work", async () => "done");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { app, port, refusing };
}

/** A connection, and all that has come over it. */
async function open(port: number) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const ended = once(socket, "close");
  return { socket, ended, text: () => text };
}

function post(socket: Socket): void {
  socket.write("POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
}

test("no connection is taken any more, and what comes over those that there are is answered", async () => {
  const { app, port, refusing } = await start();
  const used = await open(port);
  const fresh = await open(port);
  post(used.socket);
  await expect.poll(used.text).toContain("done");

  const refused = refuseConnections(app, { refusing, quietMs: LONG_MS, withinMs: LONG_MS });
  await once(refusing.signal, "abort");
  const late = await open(port).catch((error: NodeJS.ErrnoException) => error.code);
  for (const { socket } of [used, fresh]) post(socket);
  await Promise.all([used.ended, fresh.ended]);
  await refused;
  await closeWithin(app, LONG_MS);

  expect(late).toBe("ECONNREFUSED");
  const [before = "", after = ""] = used.text().split("done");
  expect(before).toContain("Connection: keep-alive");
  for (const answer of [after, fresh.text()]) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toContain("Connection: close");
  }
});

test("a connection over which nothing comes is kept for a while, and then closed", async () => {
  const { app, port, refusing } = await start();
  const still = await open(port);
  post(still.socket);
  await expect.poll(still.text).toContain("done");

  const refused = refuseConnections(app, { refusing, quietMs: 1000, withinMs: LONG_MS });
  await once(refusing.signal, "abort");
  await sleep(100);
  const isOpen = still.socket.readyState === "open";
  await refused;
  await still.ended;
  await closeWithin(app, LONG_MS);

  expect(isOpen).toBe(true);
});

test("while requests come a connection without one is kept, at most for the time given", async () => {
  const { app, port, refusing } = await start();
  const still = await open(port);
  const used = await Promise.all(Array.from({ length: 100 }, async () => await open(port)));

  const refused = refuseConnections(app, { refusing, quietMs: 2000, withinMs: 4000 });
  await once(refusing.signal, "abort");
  const from = performance.now();
  let wasOpenUntil = 0;
  still.socket.once("close", () => {
    wasOpenUntil = performance.now() - from;
  });
  const asking = setInterval(() => {
    const next = used.pop();
    if (next !== undefined) post(next.socket);
  }, 50);
  await refused;
  clearInterval(asking);
  await still.ended;
  await closeWithin(app, LONG_MS);

  expect(wasOpenUntil).toBeGreaterThan(3900);
});
