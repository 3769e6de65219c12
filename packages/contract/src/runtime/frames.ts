/**
 * One message of the channel between the server and a function child: a JSON head and a byte body.
 * Layout: u32 big-endian head length, u32 big-endian body length, head (UTF-8 JSON), body.
 */
export interface Frame<Head = unknown> {
  readonly head: Head;
  readonly body: Uint8Array;
  /** Whether `admit` was asked for it. */
  readonly wasAsked: boolean;
}

export const PREFIX_BYTES = 8;
const NO_BYTES = new Uint8Array(0);
const FIRST_CAPACITY = 64 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A peer broke the framing or a size limit; the channel cannot be used any further. */
export class FrameError extends Error {
  override name = "FrameError";
}

export function encodeFrame(head: unknown, body: Uint8Array = NO_BYTES): Uint8Array[] {
  const headBytes = encoder.encode(JSON.stringify(head));
  const prefix = encodePrefix(headBytes.byteLength, body.byteLength);
  return body.byteLength === 0 ? [prefix, headBytes] : [prefix, headBytes, body];
}

function encodePrefix(headBytes: number, bodyBytes: number): Uint8Array {
  const prefix = new Uint8Array(PREFIX_BYTES);
  const view = new DataView(prefix.buffer);
  view.setUint32(0, headBytes);
  view.setUint32(4, bodyBytes);
  return prefix;
}

/** Limits of the channel in both directions; what a child sends has narrower ones (`frame-limits.ts`). */
export const FRAME_LIMITS = { headBytes: 4 * 1024 * 1024, bodyBytes: 110 * 1024 * 1024 } as const;

export interface FrameRules<Head> {
  readonly headBytes: number;
  readonly bodyBytes: number;
  /** Reads a head before its body is kept; throws a FrameError to refuse the frame. */
  readonly readHead: (head: Uint8Array, bodyBytes: number) => Head;
  /** Asked once for each frame that has not come whole, with its size; false makes the decoder wait for `resume`. */
  readonly admit?: (frameBytes: number) => boolean;
}

/** The bytes of one part of a frame; room grows with what has arrived, so that an announced size costs nothing. */
class Part {
  readonly #size: number;
  #bytes: Uint8Array = NO_BYTES;
  #filled = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get isWhole(): boolean {
    return this.#filled === this.#size;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Takes what belongs to the part from `chunk` at `from`; answers where the rest begins. */
  fill(chunk: Uint8Array, from: number): number {
    const end = Math.min(chunk.byteLength, from + this.#size - this.#filled);
    const taken = chunk.subarray(from, end);
    // What arrives whole in one chunk is not copied.
    if (this.#filled === 0 && taken.byteLength === this.#size) this.#bytes = taken;
    else this.#copy(taken);
    this.#filled += taken.byteLength;
    return end;
  }

  #copy(taken: Uint8Array): void {
    const needed = this.#filled + taken.byteLength;
    if (needed > this.#bytes.byteLength) {
      const room = Math.max(needed, FIRST_CAPACITY, 2 * this.#bytes.byteLength);
      const grown = new Uint8Array(Math.min(room, this.#size));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(taken, this.#filled);
  }
}

interface PartialFrame<Head> {
  readonly headPart: Part;
  readonly bodyPart: Part;
  readonly bodyBytes: number;
  readonly wasAsked: boolean;
  /** Wrapped, since a head may be anything. */
  head?: { readonly value: Head };
}

/**
 * Cuts a byte stream into frames, in linear time however small its chunks are; refuses a frame by its length prefix,
 * before its bytes are kept, and by its head, before its body is.
 */
export class FrameDecoder<Head = unknown> {
  readonly #rules: FrameRules<Head>;
  #prefix = new Part(PREFIX_BYTES);
  #partial: PartialFrame<Head> | undefined;
  /** What came after the prefix of a frame that waits to be admitted. */
  #held: Uint8Array[] = [];
  #isWaiting = false;

  constructor(rules: FrameRules<Head>) {
    this.#rules = rules;
  }

  push(chunk: Uint8Array): Frame<Head>[] {
    const frames: Frame<Head>[] = [];
    if (this.#isWaiting) this.#held.push(chunk);
    else this.#decode(chunk, frames);
    return frames;
  }

  /** Continues with the frame that `admit` let wait. */
  resume(): Frame<Head>[] {
    const frames: Frame<Head>[] = [];
    const held = this.#held;
    this.#held = [];
    this.#isWaiting = false;
    for (const chunk of held) {
      if (this.#isWaiting) this.#held.push(chunk);
      else this.#decode(chunk, frames);
    }
    return frames;
  }

  #decode(chunk: Uint8Array, frames: Frame<Head>[]): void {
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#partial === undefined) {
        at = this.#prefix.fill(chunk, at);
        if (!this.#prefix.isWhole) return;
        const { headBytes, bodyBytes } = this.#readPrefix();
        const frameBytes = headBytes + bodyBytes;
        const wasAsked = chunk.byteLength - at < frameBytes;
        this.#partial = {
          headPart: new Part(headBytes),
          bodyPart: new Part(bodyBytes),
          bodyBytes,
          wasAsked,
        };
        if (wasAsked && this.#rules.admit?.(frameBytes) === false) {
          this.#isWaiting = true;
          this.#held.push(chunk.subarray(at));
          return;
        }
      }
      at = this.#fill(this.#partial, chunk, at, frames);
    }
  }

  #fill(
    partial: PartialFrame<Head>,
    chunk: Uint8Array,
    from: number,
    frames: Frame<Head>[],
  ): number {
    const { headPart, bodyPart, bodyBytes, wasAsked } = partial;
    const bodyAt = headPart.isWhole ? from : headPart.fill(chunk, from);
    if (!headPart.isWhole) return bodyAt;
    partial.head ??= { value: this.#rules.readHead(headPart.bytes, bodyBytes) };
    const end = bodyPart.fill(chunk, bodyAt);
    if (bodyPart.isWhole) {
      frames.push({ head: partial.head.value, body: bodyPart.bytes, wasAsked });
      this.#partial = undefined;
      this.#prefix = new Part(PREFIX_BYTES);
    }
    return end;
  }

  #readPrefix(): { headBytes: number; bodyBytes: number } {
    const { buffer, byteOffset } = this.#prefix.bytes;
    const view = new DataView(buffer, byteOffset, PREFIX_BYTES);
    const headBytes = view.getUint32(0);
    const bodyBytes = view.getUint32(4);
    if (headBytes > this.#rules.headBytes || bodyBytes > this.#rules.bodyBytes) {
      throw new FrameError(`frame of ${headBytes} + ${bodyBytes} bytes is over the limit`);
    }
    return { headBytes, bodyBytes };
  }
}

/** Throws a FrameError for what is not JSON in UTF-8. */
export function parseHead(head: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(head));
  } catch (cause) {
    throw new FrameError("frame head is not JSON", { cause });
  }
}

/** The channel's own limits, for a side that trusts the other. */
export const TRUSTED_FRAMES: FrameRules<unknown> = { ...FRAME_LIMITS, readHead: parseHead };
