import type { IncomingMessage } from "node:http";
import { AppError } from "#platform";

/** The body of a route that takes any method; undefined for none. Throws request_too_large or invalid_json. */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.byteLength;
    if (size > limitBytes) {
      throw new AppError("request_too_large", `The body is larger than ${limitBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (cause) {
    throw new AppError("invalid_json", "The request body is not valid JSON.", { cause });
  }
}
