import { readClockAhead, type ServerNotes } from "#platform/egress";
import { findHeader } from "../answer/response-headers.ts";
import type { AnswerHead } from "./send-attempt.ts";

/** Keeps how far the clock is ahead that an answer just told; answers it too, in milliseconds. */
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
