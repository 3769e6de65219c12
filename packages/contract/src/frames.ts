/**
 * One message of the channel between the server and a function child: a JSON head and a byte body.
 * Layout: u32 big-endian head length, u32 big-endian body length, head (UTF-8 JSON), body.
 */
export interface Frame {
  readonly head: unknown;
  readonly body: Uint8Array;
}

const PREFIX_BYTES = 8;
const NO_BYTES = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A peer broke the framing or a size limit; the channel cannot be used any further. */
export class FrameError extends Error {
  override name = "FrameError";
}

export function encodeFrame(head: unknown, body: Uint8Array = NO_BYTES): Uint8Array[] {
  const headBytes = encoder.encode(JSON.stringify(head));
  const prefix = new Uint8Array(PREFIX_BYTES);
  const view = new DataView(prefix.buffer);
  view.setUint32(0, headBytes.byteLength);
  view.setUint32(4, body.byteLength);
  return body.byteLength === 0 ? [prefix, headBytes] : [prefix, headBytes, body];
}

/** Limits of the channel in both directions. */
export const FRAME_LIMITS = { headBytes: 4 * 1024 * 1024, bodyBytes: 110 * 1024 * 1024 } as const;

interface FrameLimits {
  readonly headBytes: number;
  readonly bodyBytes: number;
}

/** Cuts a byte stream into frames; refuses a frame by its length prefix, before its bytes are kept. */
export class FrameDecoder {
  readonly #limits: FrameLimits;
  #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;
  #expected: { headBytes: number; bodyBytes: number } | undefined;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  push(chunk: Uint8Array): Frame[] {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.byteLength;
    const frames: Frame[] = [];
    for (;;) {
      const frame = this.#next();
      if (frame === undefined) return frames;
      frames.push(frame);
    }
  }

  #next(): Frame | undefined {
    if (this.#expected === undefined) {
      if (this.#bufferedBytes < PREFIX_BYTES) return undefined;
      this.#expected = this.#readPrefix(this.#take(PREFIX_BYTES));
    }
    const { headBytes, bodyBytes } = this.#expected;
    if (this.#bufferedBytes < headBytes + bodyBytes) return undefined;
    const head = this.#take(headBytes);
    const body = bodyBytes === 0 ? NO_BYTES : this.#take(bodyBytes);
    this.#expected = undefined;
    return { head: parseHead(head), body };
  }

  #readPrefix(prefix: Uint8Array): { headBytes: number; bodyBytes: number } {
    const view = new DataView(prefix.buffer, prefix.byteOffset, PREFIX_BYTES);
    const headBytes = view.getUint32(0);
    const bodyBytes = view.getUint32(4);
    if (headBytes > this.#limits.headBytes || bodyBytes > this.#limits.bodyBytes) {
      throw new FrameError(`frame of ${headBytes} + ${bodyBytes} bytes is over the limit`);
    }
    return { headBytes, bodyBytes };
  }

  #take(size: number): Uint8Array {
    const first = this.#chunks[0];
    if (first !== undefined && first.byteLength >= size) {
      this.#bufferedBytes -= size;
      if (first.byteLength === size) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(size);
      return first.subarray(0, size);
    }
    const joined = new Uint8Array(this.#bufferedBytes);
    let offset = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, offset);
      offset += chunk.byteLength;
    }
    this.#chunks = [joined.subarray(size)];
    this.#bufferedBytes -= size;
    return joined.subarray(0, size);
  }
}

function parseHead(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new FrameError("frame head is not JSON", { cause });
  }
}
