import type { IncomingMessage } from "node:http";

/** Reads a request body; `undefined` when it is longer than `limitBytes` (the rest is discarded). */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length <= limitBytes) chunks.push(bytes);
  }
  return length <= limitBytes ? Buffer.concat(chunks) : undefined;
}
