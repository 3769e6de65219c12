import { type ChildProcess, spawn } from "node:child_process";

/**
 * A process that has the channel to itself, as a function that broke out of the runner would: it loads any bundle and
 * runs its text as code. In scope: `runId`, `input`, `send(head, body)`, `frame(head, body)`, `socket`, `fs`, and
 * `call(method, params, body)`, which resolves to the host's answer as `call.answerTo(callId)` does.
 */
const PROGRAM = `
  const fs = require("node:fs");
  const frame = (head, body = "") => {
    const text = typeof head === "string" || Buffer.isBuffer(head) ? head : JSON.stringify(head);
    const prefix = Buffer.alloc(8);
    prefix.writeUInt32BE(Buffer.byteLength(text)); prefix.writeUInt32BE(Buffer.byteLength(body), 4);
    return Buffer.concat([prefix, Buffer.from(text), Buffer.from(body)]);
  };
  const socket = new (require("node:net").Socket)({ fd: 3 });
  const send = (head, body) => socket.write(frame(head, body));
  let input = [], size = 0, attack, calls = 0;
  const waiting = new Map();
  const take = (message, body) => {
    if (message.op === "load") {
      attack = new (Object.getPrototypeOf(async () => {}).constructor)(
        "runId", "input", "call", "send", "frame", "socket", "fs", "done", body.toString());
      send({ op: "loaded" });
    } else if (message.op === "run") {
      const { runId } = message;
      const call = (method, params, body) => new Promise((resolve) => {
        const callId = String(++calls);
        waiting.set(callId, resolve);
        send({ op: "call", runId, callId, method, params }, body);
      });
      call.answerTo = (callId) => new Promise((resolve) => waiting.set(callId, resolve));
      const done = (output) => send({ op: "done", runId }, output);
      attack(runId, body, call, send, frame, socket, fs, done).catch((error) =>
        send({ op: "failed", runId, error: { type: "script_internal_error", message: String(error.stack) } }));
    } else if (message.op === "ping") {
      send({ op: "pong" });
    } else if (message.op === "clean") {
      send({ op: "cleaned" });
    } else if (message.callId !== undefined) {
      waiting.get(message.callId)?.({ ...message, body });
      waiting.delete(message.callId);
    }
  };
  socket.on("data", (chunk) => {
    input.push(chunk); size += chunk.length;
    for (;;) {
      if (size < 8) return;
      if (input.length > 1 && input[0].length < 8) input = [Buffer.concat(input)];
      const head = input[0].readUInt32BE(0), all = 8 + head + input[0].readUInt32BE(4);
      if (size < all) return;
      const whole = Buffer.concat(input);
      input = [whole.subarray(all)]; size -= all;
      take(JSON.parse(whole.subarray(8, 8 + head).toString()), whole.subarray(8 + head, all));
    }
  });
  socket.on("end", () => process.exit());
  socket.on("error", () => process.exit());
  send({ op: "ready" });`;

export function launchForgingChild(): ChildProcess {
  return spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
}
