import type { IncomingMessage } from "node:http";
import { AppError } from "../errors.ts";
import { type HeldBody, SMALL_BYTES } from "./large-bodies.ts";
import { type Room, tooLarge } from "./room.ts";

/** Throws request_too_large for a body whose head says that it is. */
export function requireRoom(message: IncomingMessage, room: Room): void {
  if (Number(message.headers["content-length"] ?? 0) > room.bytes) throw tooLarge(room);
}

/** A body as it came. */
export interface BodyParts {
  readonly parts: readonly Buffer[];
  readonly size: number;
}

/** The whole body; throws request_too_large as soon as it is too large, and overloaded while others hold the memory. */
export async function readBody(
  message: IncomingMessage,
  room: Room,
  held: HeldBody,
): Promise<BodyParts> {
  requireRoom(message, room);
  const parts: Buffer[] = [];
  let size = 0;
  return await new Promise<BodyParts>((resolve, reject) => {
    const settle = (end: () => void): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
      end();
    };
    const onCut = (): void => settle(() => reject(cutOff()));
    const onEnd = (): void => settle(() => resolve({ parts, size }));
    const onData = (chunk: Buffer): void => {
      const before = size;
      size += chunk.length;
      parts.push(chunk);
      if (size > room.bytes) settle(() => reject(tooLarge(room)));
      else if (size > SMALL_BYTES) {
        const wait = held.grow(before > SMALL_BYTES ? chunk.length : size);
        if (wait !== undefined) pauseUntil(wait);
      }
    };
    const pauseUntil = (wait: Promise<void>): void => {
      message.pause();
      wait.then(
        () => message.resume(),
        (error: unknown) => settle(() => reject(error)),
      );
    };
    message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

function cutOff(): AppError {
  return new AppError("request_timeout", "The connection ended before the body did.");
}
