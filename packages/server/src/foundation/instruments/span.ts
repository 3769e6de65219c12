/** Values of attributes: names, kinds and codes. Never a secret, a body or a query string. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
  readonly kind?: "server" | "client" | "consumer" | "producer";
  readonly attributes?: SpanAttributes;
  /** `traceparent` of work elsewhere that this one is part of; a malformed one begins a trace of its own. */
  readonly parent?: string | undefined;
}

/** A piece of work, and what it is part of. */
export interface Span {
  /** False while traces are off, below what the sampler left out, and after the end: nothing that is set here is kept. */
  readonly isRecording: boolean;
  /** W3C Trace Context; undefined while traces are off, and of what is no work itself. */
  readonly traceparent: string | undefined;
  child(name: string, start?: SpanStart): Span;
  set(attributes: SpanAttributes): void;
  /** `type`: a code of ours, never a message. */
  fail(type: string): void;
  end(): void;
}

/** While traces are off: does nothing. */
export const noSpan: Span = {
  isRecording: false,
  traceparent: undefined,
  child: () => noSpan,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};
