/** How numbers, times and spans are written; `Intl` knows the words of the language. */
import { zone } from "./clock/zone.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const numbers = new Intl.NumberFormat("en");
const toTheSecond = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const clock = byZone({ ...toTheSecond, fractionalSecondDigits: 3 });
const dayAndClock = byZone({
  day: "2-digit",
  month: "short",
  ...toTheSecond,
  fractionalSecondDigits: 3,
});
const dayOfYear = byZone({ day: "numeric", month: "short", year: "numeric" });
const day = byZone({
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const dayAndTime = byZone({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const dateAlone = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** What writes a moment by the clock that the reader has chosen; times in UTC end in `Z`. */
function byZone(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  const own = new Intl.DateTimeFormat("en-GB", options);
  const utc = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  const mark = options.hour === undefined ? "" : "Z";
  return (date) => (zone() === "UTC" ? `${utc.format(date)}${mark}` : own.format(date));
}

export function formatNumber(value: number): string {
  return numbers.format(value);
}

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** In the largest unit of which there is at least one; a kilobyte has 1,000 bytes. */
export function formatBytes(bytes: number): string {
  const steps = bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3);
  const place = Math.min(steps, byteUnits.length - 1);
  const unit = byteUnits[place] ?? "byte";
  const written = new Intl.NumberFormat("en", {
    style: "unit",
    unit,
    // The short form of bytes has no plural.
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: 1,
  });
  return written.format(bytes / 1000 ** place);
}

/** To the millisecond; with the day where that is not today. */
export function formatTime(at: string, now = new Date()): string {
  const date = new Date(at);
  const isToday = dayOfYear(date) === dayOfYear(now);
  return isToday ? clock(date) : dayAndClock(date).replace(",", "");
}

/** For narrow columns: to the millisecond today, else to the second. */
export function formatShortTime(at: string, now = new Date()): string {
  const date = new Date(at);
  const isToday = dayOfYear(date) === dayOfYear(now);
  return isToday ? clock(date) : formatMoment(at);
}

/** The reader's time zone, with its distance from UTC at a moment: `Europe/Berlin, UTC+2`. */
export function zoneOf(at: string | undefined): string {
  if (zone() === "UTC") return "UTC";
  const offsets = new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" });
  const { timeZone } = offsets.resolvedOptions();
  const parts = offsets.formatToParts(at === undefined ? new Date() : new Date(at));
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  return /^GMT([+-]0)?$/.test(offset) ? timeZone : `${timeZone}, ${offset.replace("GMT", "UTC")}`;
}

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** Of a share from 0 to 1: `93.1%`. */
export function formatShare(share: number): string {
  return percent.format(share);
}

/** For sentences: to the second. */
export function formatMoment(at: string): string {
  return formatTime(at).replace(/\.\d+/, "");
}

const isoTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the server, with the times in it as the reader's clock shows them. */
export function withLocalTimes(text: string): string {
  return text.replaceAll(isoTime, formatMoment);
}

/** For columns: without the year when it is this one, else without the time. */
export function formatShortDay(at: string, now = new Date()): string {
  const date = new Date(at);
  const isThisYear = dayOfYear(date).slice(-4) === dayOfYear(now).slice(-4);
  return (isThisYear ? dayAndTime : dayOfYear)(date).replace(",", "");
}

export function formatDay(at: string): string {
  return day(new Date(at));
}

/** A day of the server, which has no time and is the same everywhere: `2026-11-28` is `28 Nov 2026`. */
export function formatDate(date: string): string {
  return dateAlone.format(new Date(date));
}

/** `212 ms`, `1.9 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatSpan(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10 * SECOND) return `${(milliseconds / SECOND).toFixed(1)} s`;
  if (milliseconds < MINUTE) return `${Math.round(milliseconds / SECOND)} s`;
  if (milliseconds < HOUR) return twoParts(milliseconds, [MINUTE, "min"], [SECOND, "s"]);
  if (milliseconds < DAY) return twoParts(milliseconds, [HOUR, "h"], [MINUTE, "min"]);
  return twoParts(milliseconds, [DAY, "d"], [HOUR, "h"]);
}

function twoParts(
  milliseconds: number,
  [large, largeName]: readonly [number, string],
  [small, smallName]: readonly [number, string],
): string {
  const rest = Math.floor((milliseconds % large) / small);
  const first = `${Math.floor(milliseconds / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

// Marks that turn the direction of text, and those of no width: they would let a name pose as another one.
const invisible = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text of others with marks that cannot be seen made visible, and no longer than a cell shows. One with letters that are
 * written from right to left is isolated: what stands around it stays in its order.
 */
export function plainText(text: string, most = 200): string {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text;
  const visible = shown.replaceAll(
    invisible,
    (mark) => `⟨U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
  return rightToLeft.test(visible) && !visible.includes("\n") ? isolate(visible) : visible;
}

/** Hebrew, Arabic and their neighbours, with their forms for presentation. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** For texts that become a part of sentences and names, where no element can be put around them (UAX #9, section 2.7). */
function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}

/** Ids are cut in the middle: their ends tell them apart. */
export function shortenId(id: string, most = 20): string {
  if (id.length <= most) return id;
  const half = Math.floor((most - 1) / 2);
  return `${id.slice(0, half)}…${id.slice(-half)}`;
}
