import { readClockAhead, type ServerNotes } from "#foundation/egress";
import { findHeader } from "../answer/response-headers.ts";
import type { AnswerHead } from "./attempt.ts";

/** Stores and returns how far the clock is ahead by an answer's `Date`, in milliseconds. */
export function noteClock(
  servers: ServerNotes,
  url: string,
  { headers }: AnswerHead,
): number | undefined {
  const [date, age] = [findHeader(headers, "date"), findHeader(headers, "age")];
  const clockAheadMs = readClockAhead({ date, age }, Date.now());
  if (clockAheadMs !== undefined) servers.note(url, { clockAheadMs });
  return clockAheadMs;
}
