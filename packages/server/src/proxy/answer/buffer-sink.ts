import { once } from "node:events";
import { AppError } from "#foundation";
import type { AnswerHead, AnswerSink } from "../exchange/attempt.ts";
import { createDecompressor } from "./decompress.ts";
import { findHeader, withoutHeaders } from "./response-headers.ts";

/** Keeps a whole answer, up to a size. */
export class BufferSink implements AnswerSink {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;
  #error: Error | undefined;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  started(_head: AnswerHead): void {
    this.#chunks = [];
    this.#size = 0;
  }

  received(chunk: Buffer): boolean {
    this.#size += chunk.byteLength;
    if (this.#size > this.#limitBytes) {
      this.#chunks = [];
      throw tooLarge(this.#limitBytes);
    }
    this.#chunks.push(chunk);
    return true;
  }

  ended(): void {}

  broken(error: Error): void {
    this.#error = error;
  }

  /** The answer's headers and body, decompressed where that is asked for. */
  async read(
    head: AnswerHead,
    { decompress }: { decompress: boolean },
  ): Promise<{ headers: readonly string[]; body: Buffer }> {
    if (this.#error instanceof AppError) throw this.#error;
    if (this.#error !== undefined) {
      const message = "The provider broke off in the middle of its answer.";
      throw new AppError("upstream_unreachable", message, { cause: this.#error });
    }
    const body = Buffer.concat(this.#chunks, this.#size);
    const decoder = decompress
      ? createDecompressor(findHeader(head.headers, "content-encoding"))
      : undefined;
    if (decoder === undefined || body.byteLength === 0) return { headers: head.headers, body };
    const decoded: Buffer[] = [];
    let size = 0;
    decoder.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > this.#limitBytes) decoder.destroy(tooLarge(this.#limitBytes));
      else decoded.push(chunk);
    });
    decoder.end(body);
    await once(decoder, "end").catch((error: unknown) => {
      if (error instanceof AppError) throw error;
      const message = "The provider's answer is not compressed as it says.";
      throw new AppError("upstream_unreachable", message, { cause: error });
    });
    const headers = withoutHeaders(head.headers, (name) =>
      /^content-(encoding|length)$/.test(name),
    );
    return { headers, body: Buffer.concat(decoded, size) };
  }
}

function tooLarge(limitBytes: number): AppError {
  return new AppError(
    "upstream_unreachable",
    `The provider's answer is larger than ${limitBytes} bytes; ask for smaller pages.`,
  );
}
