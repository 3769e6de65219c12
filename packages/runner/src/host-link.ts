import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { type Frame, FrameDecoder, TRUSTED_FRAMES } from "@jackfield/contract/frames";
import type { FromChild } from "@jackfield/contract/runtime";
import { encodeMessage } from "./encode-message.ts";
import { pinMembers } from "./pin-members.ts";

const HOST_FD = 3;

/** The pipe to the host. */
export interface HostLink {
  /** Throws when the message is no JSON, or larger than the host takes; nothing of it is sent then. */
  send(message: FromChild, body?: Uint8Array): void;
  /** Calls back when all that was sent has left. */
  flush(done: () => void): void;
}

export function openHostLink(handlers: {
  onFrame: (frame: Frame) => void;
  onClose: () => void;
}): HostLink {
  const socket = new Socket({ fd: HOST_FD, readable: true, writable: true });
  pinMembers(socket);
  // Socket's own forms of these look the stream's forms up at each call, where a function may have replaced them.
  const { read, resume, pause } = Duplex.prototype;
  Object.assign(socket, { read, resume, pause });
  const decoder = new FrameDecoder(TRUSTED_FRAMES);
  socket.on("data", (chunk: Uint8Array) => {
    for (const frame of decoder.push(chunk)) handlers.onFrame(frame);
  });
  socket.on("error", handlers.onClose);
  socket.on("close", handlers.onClose);
  return {
    send: (message, body) => void socket.write(encodeMessage(message, body)),
    flush: (done) => void socket.write("", () => done()),
  };
}
