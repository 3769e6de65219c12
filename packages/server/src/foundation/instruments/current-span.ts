import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "./span.ts";

interface Current {
  readonly span: Span;
  statements: number;
}

const current = new AsyncLocalStorage<Current | undefined>();

/** Runs `work` so that what it sends to the database is found to be part of the span, however deep it is sent. */
export function withinSpan<Result>(span: Span, work: () => Result): Result {
  if (span.isRecording) return current.run({ span, statements: 0 }, work);
  // Work of a trace that is left out may have been begun by one that is not.
  return current.getStore() === undefined ? work() : current.run(undefined, work);
}

/** The span that a statement is part of, and which of its statements it is; undefined outside traced work. */
export function findSpanOfStatement():
  | { readonly span: Span; readonly number: number }
  | undefined {
  const found = current.getStore();
  // What outlives the work that began it is part of no trace.
  if (found?.span.isRecording !== true) return undefined;
  found.statements += 1;
  return { span: found.span, number: found.statements };
}
