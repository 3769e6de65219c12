import { useTimeZone } from "./clock/time-zone.ts";
import { formatShortTime, formatSpan, formatTime } from "./formats.ts";

/** A time by the clock that the reader has chosen; UTC when pointed at. */
export function Time({
  at,
  isShort = false,
}: {
  at: string;
  /** Without milliseconds on earlier days, for columns of lists that have little room; pointed at, it has them. */
  isShort?: boolean;
}) {
  useTimeZone();
  return (
    <time className="mono" dateTime={at} title={at}>
      {isShort ? formatShortTime(at) : formatTime(at)}
    </time>
  );
}

/** How long something took; nothing while it has not ended. */
export function Span({ milliseconds }: { milliseconds: number | null }) {
  return milliseconds === null ? null : formatSpan(milliseconds);
}
