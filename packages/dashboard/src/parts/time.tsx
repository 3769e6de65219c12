import { formatSpan, formatTime } from "./formats.ts";

/** A time as the reader's clock shows it; UTC when pointed at. */
export function Time({ at }: { at: string }) {
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
