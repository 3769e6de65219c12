import { AppError } from "#foundation";
import type { AnswerHead, AnswerSink } from "../exchange/attempt.ts";

export interface WebAnswer {
  readonly head: AnswerHead;
  readonly body: ReadableStream<Uint8Array>;
}

interface Limits {
  readonly maxBytes: number;
  /** How long the answer may be silent once it has begun. */
  readonly idleMs: number;
  /** Ends the call at the provider. */
  readonly abort: (reason: Error) => void;
}

/** Hands an answer over as a stream of the web when its head is there, up to a size, with back-pressure. */
export class WebSink implements AnswerSink {
  readonly #limits: Limits;
  readonly #begun = Promise.withResolvers<WebAnswer>();
  readonly #body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #drained: (() => void) | undefined;
  #idle: NodeJS.Timeout | undefined;
  #size = 0;
  #isOver = false;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#resume(),
      cancel: () => {
        this.#finish();
        limits.abort(new Error("the answer is not wanted any more"));
      },
    });
    // Who waits hears of it; a call may also end before anybody does.
    this.#begun.promise.catch(() => undefined);
  }

  /** Rejects where there is no answer. */
  get answer(): Promise<WebAnswer> {
    return this.#begun.promise;
  }

  started(head: AnswerHead): void {
    this.#begun.resolve({ head, body: this.#body });
    this.#wait();
  }

  received(chunk: Buffer, drained: () => void): boolean {
    this.#size += chunk.byteLength;
    if (this.#size > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes);
    if (this.#isOver) return true;
    this.#wait();
    this.#controller?.enqueue(chunk);
    if ((this.#controller?.desiredSize ?? 0) > 0) return true;
    this.#drained = drained;
    return false;
  }

  ended(): void {
    if (!this.#isOver) this.#controller?.close();
    this.#finish();
  }

  broken(error: Error): void {
    this.fail(error);
  }

  /** For a call without an answer, and for an answer that ends early. */
  fail(error: unknown): void {
    this.#begun.reject(error);
    if (!this.#isOver) this.#controller?.error(error);
    this.#finish();
  }

  #wait(): void {
    clearTimeout(this.#idle);
    const { idleMs, abort } = this.#limits;
    this.#idle = setTimeout(() => {
      const message = `The provider sent nothing for ${idleMs} ms.`;
      abort(new AppError("upstream_timeout", message));
    }, idleMs);
    this.#idle.unref();
  }

  /** Later: within the reading of a chunk the next would come while this one is not done. */
  #resume(): void {
    const drained = this.#drained;
    this.#drained = undefined;
    if (drained !== undefined) setImmediate(drained);
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#idle);
    this.#resume();
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("upstream_unreachable", `The answer is larger than ${maxBytes} bytes.`);
}
