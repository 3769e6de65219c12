import { useTimeZone } from "./clock/time-zone.ts";
import { formatSpan, formatTime } from "./formats.ts";

/** A time by the clock that the reader has chosen; UTC when pointed at. */
export function Time({ at }: { at: string }) {
  useTimeZone();
  return (
    <time className="mono" dateTime={at} title={at}>
      {formatTime(at)}
    </time>
  );
}

/** How long something took; nothing while it has not ended. */
export function Span({ milliseconds }: { milliseconds: number | null }) {
  return milliseconds === null ? null : formatSpan(milliseconds);
}
