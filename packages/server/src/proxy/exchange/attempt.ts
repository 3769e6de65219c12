import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { toDownstreamHeaders, toTexts } from "../answer/response-headers.ts";

export interface UpstreamRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  /** Name and value in turn. */
  readonly headers: string[];
  readonly body: Uint8Array | Readable | null;
}

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  /** Name and value in turn, without hop-by-hop ones. */
  readonly headers: readonly string[];
  /** Whether a header may be about the provider's rate limit. */
  readonly tellsOfQuota: boolean;
}

/** Takes an answer as it arrives. */
export interface AnswerSink {
  /** A 1xx answer before the final one. */
  informed?(status: number, headers: readonly string[]): void;
  started(head: AnswerHead): void;
  /** False when no more is wanted until `drained` calls back. */
  received(chunk: Buffer, drained: () => void): boolean;
  ended(trailers: readonly string[]): void;
  /** The provider broke off in the middle. */
  broken(error: Error): void;
}

export type Decision = "pass" | "discard";

export interface AttemptOptions {
  readonly sink: AnswerSink;
  /**
   * Whether the answer is passed on, or read away so that another attempt can be made. A promise does not reject; the
   * answer's body waits for it at the provider.
   */
  decide(head: AnswerHead): Decision | Promise<Decision>;
  /** A discarded answer is kept up to this many bytes; unset keeps none. */
  readonly keepBytes?: number | undefined;
  /** Hears what passes: the request when it leaves, and what comes back, in bytes. */
  readonly meter?: { left(): void; add(bytes: number): void } | undefined;
}

export interface AttemptOutcome {
  readonly passed: boolean;
  readonly head: AnswerHead;
  /** Why the answer ended early; undefined when it is whole. */
  readonly broken: Error | undefined;
  /** The body of a discarded answer, as it came. */
  readonly kept: Buffer | undefined;
}

/** Callbacks for the end of an attempt. */
export interface AttemptEnd {
  answered(outcome: AttemptOutcome): void;
  /** With undici's error, when there is no answer at all. */
  failed(error: Error): void;
}

// Reading a short answer away keeps its connection; past this, closing it is cheaper.
const MAX_DISCARDED_BYTES = 64 * 1024;

/** Of a head, by its names and values in turn: each header has `: ` and a line's end. */
export function bytesOfHead(headers: readonly string[]): number {
  return headers.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 0);
}

/** What undici tells of one request, passed on to a sink. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #end: AttemptEnd;
  readonly #keepBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #head: AnswerHead | undefined;
  #discardedBytes: number | undefined;
  #kept: Buffer[] = [];
  #abortReason: Error | undefined;
  /** Nobody has decided yet what becomes of the answer. */
  #isUndecided = false;

  constructor(options: AttemptOptions, end: AttemptEnd) {
    this.#options = options;
    this.#keepBytes = options.keepBytes ?? 0;
    this.#end = end;
  }

  abort(reason: Error): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#options.meter?.left();
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = "",
  ): void {
    const { headers, tellsOfQuota } = toDownstreamHeaders(controller);
    this.#options.meter?.add(bytesOfHead(headers));
    if (status < 200) {
      this.#options.sink.informed?.(status, headers);
      return;
    }
    const head = { status, statusText, headers, tellsOfQuota };
    this.#head = head;
    const decision = this.#options.decide(head);
    if (typeof decision === "string") {
      this.#begin(head, decision);
      return;
    }
    this.#isUndecided = true;
    controller.pause();
    void decision.then((decided) => {
      if (!this.#isUndecided) return;
      this.#begin(head, decided);
      controller.resume();
    });
  }

  #begin(head: AnswerHead, decision: Decision): void {
    this.#isUndecided = false;
    if (decision === "discard") this.#discardedBytes = 0;
    else this.#options.sink.started(head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#options.meter?.add(chunk.byteLength);
    if (this.#discardedBytes === undefined) {
      const wantsMore = this.#options.sink.received(chunk, () => controller.resume());
      if (!wantsMore) controller.pause();
      return;
    }
    this.#discardedBytes += chunk.byteLength;
    if (this.#discardedBytes <= this.#keepBytes) this.#kept.push(chunk);
    if (this.#discardedBytes > MAX_DISCARDED_BYTES) {
      controller.abort(new Error("the answer is discarded for another attempt"));
    }
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#discardedBytes === undefined) {
      this.#options.sink.ended(toTexts(controller.rawTrailers));
    }
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#head === undefined || this.#isUndecided) {
      this.#isUndecided = false;
      this.#end.failed(error);
      return;
    }
    if (this.#discardedBytes === undefined) this.#options.sink.broken(error);
    this.#finish(error);
  }

  #finish(broken?: Error): void {
    if (this.#head === undefined) return;
    const passed = this.#discardedBytes === undefined;
    const isKept = this.#keepBytes > 0 && (this.#discardedBytes ?? 0) <= this.#keepBytes;
    this.#end.answered({
      passed,
      head: this.#head,
      broken: passed ? broken : undefined,
      kept: isKept && !passed ? Buffer.concat(this.#kept) : undefined,
    });
  }
}
