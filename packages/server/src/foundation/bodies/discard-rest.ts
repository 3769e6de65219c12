import type { IncomingMessage, ServerResponse } from "node:http";
import { SECOND } from "../clock.ts";

/** More than any body of ours: who sends more is cut off. */
const MOST_BYTES = 100 * 1024 * 1024;
const LONGEST_MS = 30 * SECOND;

/**
 * Reads what a refused caller still sends, and drops it: closed before that, the connection would be reset, and with it
 * the answer that says why.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  response.once("finish", () => {
    if (request.readableEnded || request.destroyed) return;
    const { socket } = request;
    const before = socket.bytesRead;
    let leftMs = LONGEST_MS;
    // Node drops what nobody has begun to read without an event, so bytes are counted on the socket.
    const timer = setInterval(() => {
      leftMs -= SECOND;
      if (leftMs <= 0 || socket.bytesRead - before > MOST_BYTES) socket.destroy();
    }, SECOND).unref();
    request.once("close", () => clearInterval(timer)).once("end", () => clearInterval(timer));
    request.resume();
  });
}
