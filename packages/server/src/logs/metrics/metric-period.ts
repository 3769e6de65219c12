import { AppError, addMs, DAY, HOUR, MINUTE } from "#foundation";

export const steps = {
  "1m": MINUTE,
  "5m": 5 * MINUTE,
  "15m": 15 * MINUTE,
  "1h": HOUR,
  "6h": 6 * HOUR,
  "1d": DAY,
} as const;

export type Step = keyof typeof steps;

/** How long counts of minutes and of hours are kept. */
export const MINUTES_KEPT_MS: number = 15 * DAY;
export const HOURS_KEPT_MS: number = 400 * DAY;

const MOST_POINTS = 400;
const USUAL_POINTS = 120;

export interface Period {
  readonly from: Date;
  /** Up to but not including. */
  readonly to: Date;
}

export interface SteppedPeriod extends Period {
  readonly step: Step;
  readonly unit: "minute" | "hour";
}

/** Whole steps that cover the period; throws invalid_query_params for one that is empty or has too many of them. */
export function toSteppedPeriod(
  period: Period,
  wanted: Step | undefined,
  now: Date,
): SteppedPeriod {
  requireBegin(period);
  const lengthMs = period.to.getTime() - period.from.getTime();
  const hasMinutes = period.from.getTime() >= now.getTime() - MINUTES_KEPT_MS;
  const step = wanted ?? usualStep(lengthMs, hasMinutes);
  const stepMs = steps[step];
  if (stepMs < HOUR && !hasMinutes) {
    throw new AppError(
      "invalid_query_params",
      "Minutes are kept for 15 days: ask for a later `from`, or for a `step` of `1h` or more.",
    );
  }
  const from = floorTo(period.from, stepMs);
  const to = addMs(floorTo(addMs(period.to, -1), stepMs), stepMs);
  if ((to.getTime() - from.getTime()) / stepMs > MOST_POINTS) {
    const message = `A series has at most ${MOST_POINTS} points: ask for a larger \`step\` or a shorter period.`;
    throw new AppError("invalid_query_params", message);
  }
  return { from, to, step, unit: stepMs < HOUR ? "minute" : "hour" };
}

const LONGEST_BY_MINUTES_MS = DAY;

/** Whole minutes of a period up to a day, otherwise whole hours. */
export function toCountedPeriod(period: Period, now: Date): Period & { unit: "minute" | "hour" } {
  requireBegin(period);
  const isShort = period.to.getTime() - period.from.getTime() <= LONGEST_BY_MINUTES_MS;
  const hasMinutes = period.from.getTime() >= now.getTime() - MINUTES_KEPT_MS;
  const unit = isShort && hasMinutes ? "minute" : "hour";
  const unitMs = unit === "minute" ? MINUTE : HOUR;
  const to = addMs(floorTo(addMs(period.to, -1), unitMs), unitMs);
  const from = floorTo(period.from, unitMs);
  if (to.getTime() - from.getTime() > HOURS_KEPT_MS + DAY) {
    throw new AppError(
      "invalid_query_params",
      "Hours are kept for 400 days: ask for a later `from`.",
    );
  }
  return { from, to, unit };
}

/** A period as it was asked for; up to now, and so long, where it does not say. */
export function fillPeriod(
  { from, to }: { readonly from?: Date | undefined; readonly to?: Date | undefined },
  now: Date,
  lengthMs: number,
): Period {
  // What has just ended belongs to it.
  const end = to ?? addMs(now, 1);
  return { from: from ?? addMs(end, -lengthMs), to: end };
}

function requireBegin({ from, to }: Period): void {
  if (from.getTime() < to.getTime()) return;
  throw new AppError("invalid_query_params", "`from` must be before `to`.");
}

function usualStep(lengthMs: number, hasMinutes: boolean): Step {
  const names = Object.keys(steps) as Step[];
  const allowed = names.filter((name) => hasMinutes || steps[name] >= HOUR);
  return allowed.find((name) => lengthMs / steps[name] <= USUAL_POINTS) ?? "1d";
}

function floorTo(time: Date, stepMs: number): Date {
  return new Date(Math.floor(time.getTime() / stepMs) * stepMs);
}
