import type { IncomingMessage } from "node:http";
import { AppError, type SystemContext } from "#foundation";
import type { InboundRequest } from "../match/router.ts";
import type { BodyHold } from "./held-bodies.ts";

/** The request as its sender made it, with all of its body; throws request_too_large. */
export async function readRequest(
  { settings }: Pick<SystemContext, "settings">,
  message: IncomingMessage,
  { limit: most, hold }: { limit: number; hold: BodyHold },
): Promise<InboundRequest> {
  const { method = "", url = "" } = message;
  const limit = Math.min(most, settings.bodyLimitBytes);
  const at = url.indexOf("?");
  return {
    method,
    url: `${settings.serverUrl}${url}`,
    headers: joinHeaders(message.rawHeaders),
    query: at === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(at))),
    body: await readBody(message, limit, hold),
  };
}

/** Several fields of one name are one list (RFC 9110 section 5.3), so that none of them is passed over. */
function joinHeaders(raw: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    const value = raw[index + 1] ?? "";
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

async function readBody(message: IncomingMessage, limit: number, hold: BodyHold): Promise<Buffer> {
  if (Number(message.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  return await new Promise<Buffer>((resolve, reject) => {
    message.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      try {
        if (size > limit) throw tooLarge(limit);
        hold.add(chunk.byteLength);
      } catch (error) {
        message.pause();
        reject(error);
        return;
      }
      chunks.push(chunk);
    });
    message.on("end", () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
    });
    message.on("error", () => reject(cutOff()));
    message.on("close", () => reject(cutOff()));
  });
}

function tooLarge(limit: number): AppError {
  return new AppError("request_too_large", `A webhook has at most ${limit} bytes.`, {
    headers: { connection: "close" },
  });
}

function cutOff(): AppError {
  return new AppError("request_timeout", "The connection ended before the body did.");
}
