import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { noNotices } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { notePopup, notifyPopup } from "./notify-popup.ts";
import { type PopupLimits, servePopups } from "./popup-sockets.ts";
import { listPopups } from "./store.ts";

let installation: TestContext;
beforeAll(async () => {
  installation = await createTestContext();
});
afterAll(async () => await installation[Symbol.asyncDispose]());

const roomy: PopupLimits = {
  sockets: 100,
  namedWithinMs: 60_000,
  lifeMs: 60_000,
  lookEveryMs: 20,
};

/** Sockets of a process that hears no notices. */
async function startSockets(limits: Partial<PopupLimits> = {}) {
  const ctx = { ...installation.ctx, notices: noNotices };
  const server = createServer();
  const stopping = new AbortController();
  servePopups(ctx, server, stopping.signal, { ...roomy, ...limits });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    ctx,
    stop: () => stopping.abort(),
    async open() {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
      const closed = once(socket, "close").then(([code]) => code);
      const messages: unknown[] = [];
      const [ack] = await once(socket, "message");
      socket.on("message", (data) => messages.push(JSON.parse(String(data))));
      const { ws_client_id: id } = JSON.parse(String(ack));
      return { id, socket, messages, closed };
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const givenUp = (reason: string) => ({
  message_type: "error",
  error_type: "unknown_err",
  error_desc: expect.stringContaining(reason),
});

const failed = { error: { type: "unknown_err", message: "It failed." } };

test("where no notice arrives the message is looked for, and forgotten once it is passed on", async () => {
  await using sockets = await startSockets();
  const client = await sockets.open();
  await notifyPopup(sockets.ctx, client.id, failed);
  await notifyPopup(sockets.ctx, client.id, { error: { type: "later", message: "Too late." } });

  expect(await client.closed).toBe(1000);
  expect(client.messages).toEqual([
    { message_type: "error", error_type: "unknown_err", error_desc: "It failed." },
  ]);
  await expect.poll(async () => await listPopups(sockets.ctx.db, [client.id])).toEqual([]);
});

test("nothing is stored for ids that are not from here", async () => {
  await using sockets = await startSockets();
  const { id } = await sockets.open();
  const name = id.split(".")[0];
  const forged = ["", "x", `${name}.${"A".repeat(43)}`, `${id}x`, id.slice(1), "x".repeat(100_000)];
  for (const each of forged) await notifyPopup(sockets.ctx, each, failed);
  expect(await listPopups(sockets.ctx.db, forged)).toEqual([]);
});

test("a client that speaks is closed", async () => {
  await using sockets = await startSockets();
  const [small, large] = [await sockets.open(), await sockets.open()];
  small.socket.send("hello");
  large.socket.send("x".repeat(2000));
  expect(await small.closed).toBe(1008);
  // RFC 6455, 7.4.1: too big; the connection may end before the code arrives.
  expect([1009, 1006]).toContain(await large.closed);
});

test("one that no attempt names in time is closed; one that is named lives longer", async () => {
  await using sockets = await startSockets({ namedWithinMs: 150, lifeMs: 900 });
  const [idle, named] = [await sockets.open(), await sockets.open()];
  await notePopup(sockets.ctx, named.id);
  expect(await idle.closed).toBe(1000);
  expect(named.socket.readyState).toBe(WebSocket.OPEN);
  expect(await named.closed).toBe(1000);
  expect([idle.messages, named.messages]).toEqual([[givenUp("in time")], [givenUp("in time")]]);
});

test("a flood of sockets pushes out those that no attempt has named, oldest first", async () => {
  await using sockets = await startSockets({ sockets: 3 });
  const named = await sockets.open();
  await notePopup(sockets.ctx, named.id);
  const idle = await sockets.open();
  // Two looks later the process knows.
  await new Promise((resolve) => setTimeout(resolve, 100));
  await sockets.open();
  await sockets.open();
  expect(await idle.closed).toBe(1013);
  expect(idle.messages).toEqual([givenUp("too many")]);
  expect(named.socket.readyState).toBe(WebSocket.OPEN);
});

test("the stop of the process closes all of them", async () => {
  await using sockets = await startSockets();
  const client = await sockets.open();
  sockets.stop();
  expect(await client.closed).toBe(1001);
});
