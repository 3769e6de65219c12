import type { Span, SpanStart } from "../instruments/index.ts";

/** A span that has been begun, as a trace would show it. */
interface RecordedSpan {
  readonly name: string;
  /** The name of the span above it; undefined for the root. */
  readonly parent: string | undefined;
  readonly attributes: Record<string, string | number>;
  failed: string | undefined;
  hasEnded: boolean;
}

/** A root under which spans are kept in the order in which they began. */
export function recordSpans(): { readonly root: Span; readonly spans: readonly RecordedSpan[] } {
  const spans: RecordedSpan[] = [];
  const begin = (name: string, parent: string | undefined, start: SpanStart = {}): Span => {
    const attributes = { ...start.attributes };
    const recorded: RecordedSpan = { name, parent, attributes, failed: undefined, hasEnded: false };
    spans.push(recorded);
    return {
      get isRecording() {
        return !recorded.hasEnded;
      },
      traceparent: undefined,
      child: (below, options) => begin(below, name, options),
      set: (more) => void Object.assign(attributes, more),
      fail: (type) => {
        recorded.failed = type;
      },
      end: () => {
        recorded.hasEnded = true;
      },
    };
  };
  return { root: begin("root", undefined), spans };
}
