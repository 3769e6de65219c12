import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";
import { checkJson } from "./check-json.ts";
import { describeJsonFault } from "./describe-json-fault.ts";
import { JsonFault } from "./json-fault.ts";
import { createLargeBodies, SMALL_BYTES } from "./large-bodies.ts";
import { parseLargeJson } from "./parse-large-json.ts";
import { readBody } from "./read-body.ts";
import { type Room, type RoomSettings, roomOf } from "./room.ts";

/** Bodies with more values are parsed in the thread, where their names are counted too. */
const FEW_VALUES = 10_000;

/** Parses text without faults that `checkJson` sees; throws for text that is not JSON, or has a key `__proto__`. */
export type ParseText = (text: string, request: FastifyRequest) => unknown;

export interface JsonBodies {
  /** How much the body of a route may hold; undefined where bodies are passed on as they come. */
  roomOf(route: RouteDefinition): Room | undefined;
  /**
   * The body of a request, checked before it is parsed; undefined for an empty one. `caller`: who shares the memory
   * for large bodies. Throws invalid_json, invalid_content_type, request_too_large, overloaded.
   */
  read(request: FastifyRequest, room: Room, caller: string): Promise<unknown>;
}

/** Reads JSON within the limits of its route: small bodies here, large ones in a thread. */
export function createJsonBodies(settings: RoomSettings, parseText: ParseText): JsonBodies {
  const large = createLargeBodies(settings);
  const rooms = new Map<RouteDefinition, Room | undefined>();

  return {
    roomOf(route) {
      if (!rooms.has(route)) rooms.set(route, roomOf(route, settings));
      return rooms.get(route);
    },
    async read(request, room, caller) {
      requireReadable(request);
      const held = large.open(caller);
      try {
        const { parts, size } = await readBody(request.raw, room, held);
        if (size === 0) return undefined;
        if (size > SMALL_BYTES) return await parseLarge(request, parts, room);
        const bytes = Buffer.concat(parts, size);
        if (check(bytes, room) > FEW_VALUES) return await parseLarge(request, [bytes], room);
        return parseSmall(bytes, (text) => parseText(text, request));
      } finally {
        held.release();
      }
    },
  };
}

// Kept with its key: one request.
const digests = new WeakMap<FastifyRequest, string>();

/** SHA-256 of the bytes of a body that was parsed in the thread; undefined for other bodies. */
export function digestOfBody(request: FastifyRequest): string | undefined {
  return digests.get(request);
}

async function parseLarge(
  request: FastifyRequest,
  parts: readonly Buffer[],
  room: Room,
): Promise<unknown> {
  const { value, digest } = await parseLargeJson(parts, room);
  digests.set(request, digest);
  return value;
}

function check(bytes: Buffer, room: Room): number {
  try {
    return checkJson(bytes, room.values);
  } catch (error) {
    throw error instanceof JsonFault ? new AppError(error.code, error.message) : error;
  }
}

function parseSmall(bytes: Buffer, parseText: (text: string) => unknown): unknown {
  const text = bytes.toString();
  try {
    return parseText(text);
  } catch (cause) {
    throw new AppError("invalid_json", describeJsonFault(text), { cause });
  }
}

function requireReadable({ headers }: FastifyRequest): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw new AppError(
      "invalid_content_type",
      `Bodies are not taken with Content-Encoding: ${encoding.slice(0, 40)}; send plain JSON.`,
    );
  }
  const [, charset = "utf-8"] = /charset="?([^";\s]+)/i.exec(headers["content-type"] ?? "") ?? [];
  if (/^utf-?8$/i.test(charset)) return;
  throw new AppError(
    "invalid_content_type",
    `Bodies are not taken in ${charset.slice(0, 40)}; send JSON in UTF-8.`,
  );
}
