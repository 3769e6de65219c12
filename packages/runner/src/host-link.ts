import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { encodeFrame, FRAME_LIMITS, type Frame, FrameDecoder } from "@jackfield/contract/frames";
import type { FromChild } from "@jackfield/contract/runtime";
import { pinMembers } from "./pin-members.ts";

const HOST_FD = 3;

/** The pipe to the host. */
export interface HostLink {
  /** Throws a RangeError when the message is larger than the channel takes. */
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
  const decoder = new FrameDecoder(FRAME_LIMITS);
  socket.on("data", (chunk: Uint8Array) => {
    for (const frame of decoder.push(chunk)) handlers.onFrame(frame);
  });
  socket.on("error", handlers.onClose);
  socket.on("close", handlers.onClose);
  return {
    send: (message, body) => sendFrame(socket, message, body),
    flush: (done) => void socket.write("", () => done()),
  };
}

function sendFrame(socket: Socket, message: FromChild, body: Uint8Array | undefined): void {
  const chunks = encodeFrame(message, body);
  const headBytes = chunks[1]?.byteLength ?? 0;
  const bodyBytes = body?.byteLength ?? 0;
  if (headBytes > FRAME_LIMITS.headBytes || bodyBytes > FRAME_LIMITS.bodyBytes) {
    throw new RangeError(
      `The message is too large: ${headBytes} and ${bodyBytes} bytes; at most ${FRAME_LIMITS.headBytes} and ${FRAME_LIMITS.bodyBytes} fit.`,
    );
  }
  socket.cork();
  for (const chunk of chunks) socket.write(chunk);
  socket.uncork();
}
