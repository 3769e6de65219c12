import { once } from "node:events";
import { createServer, type LookupFunction } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../logger/index.ts";
import { createEgress } from "./create-egress.ts";

const log = createLogger("silent");

/** Answers these one after the other, and the last from then on. */
function resolver(...answers: string[]): LookupFunction {
  return (_hostname, _options, callback) => {
    const address = (answers.length > 1 ? answers.shift() : answers[0]) ?? "";
    callback(null, [{ address, family: 4 }]);
  };
}

async function connect(
  host: string,
  port: number,
  options: { allow: string[]; lookup: LookupFunction },
) {
  const egress = createEgress({ ...options, log });
  onTestFinished(async () => await egress[Symbol.asyncDispose]());
  const socket = egress.createSocket();
  socket.connect(port, host);
  try {
    await once(socket, "connect");
    return "connected";
  } catch (error) {
    return Reflect.get(Object(error), "code");
  } finally {
    socket.destroy();
  }
}

async function listen(): Promise<{ port: number; count(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    count: () => connections,
  };
}

test("a socket of the egress reaches no private address, by name or by number", async () => {
  const trap = await listen();
  const closed = { allow: [], lookup: resolver("127.0.0.1") };

  expect(await connect("127.0.0.1", trap.port, closed)).toBe("destination_not_allowed");
  expect(await connect("::ffff:127.0.0.1", trap.port, closed)).toBe("destination_not_allowed");
  expect(await connect("inside.example", trap.port, closed)).toBe("destination_not_allowed");
  expect(trap.count()).toBe(0);
});

test("the address that was checked is the one connected to, though the resolver answers another next", async () => {
  const server = await listen();
  const options = { allow: ["127.0.0.1"], lookup: resolver("127.0.0.1", "10.255.255.1") };

  expect(await connect("rebinding.example", server.port, options)).toBe("connected");
});
