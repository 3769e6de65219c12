import type { IncomingMessage } from "node:http";
import { AppError } from "../errors.ts";
import { type HeldBody, SMALL_BYTES } from "./large-bodies.ts";
import { type Room, tooLarge } from "./room.ts";

/** Throws request_too_large for a body whose head says that it is. */
export function requireRoom(message: IncomingMessage, room: Room): void {
  if (Number(message.headers["content-length"] ?? 0) > room.bytes) throw tooLarge(room);
}

/** The whole body; throws request_too_large as soon as it is too large, and overloaded when others hold the memory. */
export async function readBody(
  message: IncomingMessage,
  room: Room,
  held: HeldBody,
): Promise<Buffer> {
  requireRoom(message, room);
  const chunks: Buffer[] = [];
  let size = 0;
  return await new Promise<Buffer>((resolve, reject) => {
    const settle = (end: () => void): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
      end();
    };
    const onCut = (): void => settle(() => reject(cutOff()));
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, size)));
    const onData = (chunk: Buffer): void => {
      try {
        if (size + chunk.length > room.bytes) throw tooLarge(room);
        if (size + chunk.length > SMALL_BYTES)
          held.grow(size > SMALL_BYTES ? chunk.length : size + chunk.length);
      } catch (error) {
        settle(() => reject(error));
        return;
      }
      size += chunk.length;
      chunks.push(chunk);
    };
    message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

function cutOff(): AppError {
  return new AppError("request_timeout", "The connection ended before the body did.");
}
