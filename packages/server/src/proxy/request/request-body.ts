import type { IncomingMessage } from "node:http";
import { PassThrough, Readable } from "node:stream";

/** Body of a call: none, whole in memory and so replayable, or a stream that can be sent once. */
export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | {
      readonly kind: "stream";
      readonly stream: Readable;
      readonly contentLength: string | undefined;
    };

/** The body of a request on its way through; with `replayLimitBytes` one that fits is kept for retries. */
export async function readRequestBody(
  request: IncomingMessage,
  { replayLimitBytes }: { replayLimitBytes: number },
): Promise<RequestBody> {
  if (!hasBody(request)) return { kind: "none" };
  const announced = Number(request.headers["content-length"] ?? 0);
  if (replayLimitBytes === 0 || announced > replayLimitBytes) return passBody(request);
  return await readUpTo(request, replayLimitBytes);
}

/** The body of a request, to be sent once as it arrives. */
export function passBody(request: IncomingMessage): RequestBody {
  if (!hasBody(request)) return { kind: "none" };
  const contentLength = request.headers["content-length"];
  return { kind: "stream", stream: detach(request), contentLength };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/**
 * A stream that may be destroyed without the caller's socket going with it: a provider that answers
 * before it has read everything ends the body, but its answer still has to reach the caller. What is
 * left is then read away: the next request of the connection comes after it.
 */
function detach(request: IncomingMessage): Readable {
  const stream = request.pipe(new PassThrough());
  stream.once("close", () => request.resume());
  return stream;
}

async function readUpTo(request: IncomingMessage, limit: number): Promise<RequestBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const rest = request.iterator({ destroyOnReturn: false });
  for (;;) {
    const next = await rest.next();
    if (next.done === true) return { kind: "bytes", bytes: Buffer.concat(chunks, size) };
    const chunk = asBytes(next.value);
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > limit) {
      const stream = Readable.from(chain(chunks, rest), { objectMode: false });
      stream.once("close", () => request.resume());
      return { kind: "stream", stream, contentLength: undefined };
    }
  }
}

async function* chain(
  first: readonly Uint8Array[],
  rest: AsyncIterable<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* first;
  for await (const chunk of rest) yield asBytes(chunk);
}

// A request without an encoding yields buffers; its iterator's type says any.
function asBytes(chunk: unknown): Uint8Array {
  return chunk as Uint8Array;
}
