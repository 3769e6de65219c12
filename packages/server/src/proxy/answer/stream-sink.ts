import type { ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import type { AnswerHead, AnswerSink } from "../exchange/attempt.ts";
import { createDecompressor } from "./decompress.ts";
import { findHeader, withoutHeaders } from "./response-headers.ts";

export interface StreamSinkOptions {
  readonly method: string;
  readonly response: ServerResponse;
  readonly decompress: boolean;
  /** Called before the head is written; answers the headers to send. */
  readonly begin: (head: AnswerHead) => readonly string[];
}

// Past it, Node copies texts more than once.
const MAX_TEXT_BYTES = 8 * 1024;

/** Writes an answer to the caller as it arrives, with back-pressure. */
export class StreamSink implements AnswerSink {
  readonly #options: StreamSinkOptions;
  #decoder: Transform | undefined;
  #remainingBytes = Number.NaN;
  #begun = false;
  #ended = false;

  constructor(options: StreamSinkOptions) {
    this.#options = options;
  }

  informed(status: number, headers: readonly string[]): void {
    const { response } = this.#options;
    if (status === 102) response.writeProcessing();
    const link = findHeader(headers, "link");
    if (status !== 103 || link === undefined) return;
    try {
      response.writeEarlyHints({ link });
    } catch {
      // Node writes only links of a simple form; a hint that it refuses may be missed.
    }
  }

  started(head: AnswerHead): void {
    const { method, response, decompress, begin } = this.#options;
    const isBodiless = method === "HEAD" || head.status === 204 || head.status === 304;
    let headers = begin(head);
    if (decompress && !isBodiless) {
      this.#decoder = createDecompressor(findHeader(headers, "content-encoding"));
      if (this.#decoder !== undefined) {
        headers = withoutHeaders(headers, isAboutEncoding);
        this.#decoder.on("error", () => response.destroy());
        this.#decoder.pipe(response);
      }
    }
    const length = findHeader(headers, "content-length");
    this.#remainingBytes = length === undefined ? Number.NaN : Number(length);
    response.sendDate = false;
    response.writeHead(head.status, head.statusText, [...headers]);
    // A stream that is silent at first still shows that it has begun.
    if (Number.isNaN(this.#remainingBytes) && !isBodiless) setImmediate(() => this.#flushHead());
  }

  #flushHead(): void {
    const { response } = this.#options;
    if (!this.#begun && !response.writableEnded && !response.destroyed) response.flushHeaders();
  }

  received(chunk: Buffer, drained: () => void): boolean {
    const { response } = this.#options;
    const isFirst = !this.#begun;
    this.#begun = true;
    const target = this.#decoder ?? response;
    this.#remainingBytes -= chunk.byteLength;
    if (this.#remainingBytes === 0) {
      this.#ended = true;
      // As one text with the head it leaves in one plain write; a byte of it is one of Latin-1.
      if (isFirst && chunk.byteLength <= MAX_TEXT_BYTES) {
        response.end(chunk.toString("latin1"), "latin1");
      } else response.end(chunk);
      return true;
    }
    if (target.write(chunk)) return true;
    target.once("drain", drained);
    return false;
  }

  ended(trailers: readonly string[]): void {
    const { response } = this.#options;
    if (this.#ended) return;
    if (this.#decoder !== undefined && this.#begun) {
      this.#decoder.end();
      return;
    }
    if (trailers.length > 0) response.addTrailers(toPairs(trailers));
    response.end();
  }

  broken(): void {
    this.#options.response.destroy();
  }
}

function isAboutEncoding(name: string): boolean {
  return name === "content-encoding" || name === "content-length";
}

function toPairs(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    pairs.push([flat[index] ?? "", flat[index + 1] ?? ""]);
  }
  return pairs;
}
