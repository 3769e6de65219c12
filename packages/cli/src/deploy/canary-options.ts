import { InvalidArgumentError } from "commander";
import { exitCodes, UserError } from "../user-error.ts";

export type CanaryLimits = Readonly<Record<string, number | null>>;

const limitNames = [
  "failure_increase",
  "slowdown",
  "added_factor",
  "updated_factor",
  "deleted_factor",
  "min_runs",
];

const minutesOf = { m: 1, h: 60, d: 24 * 60 } as const;
const MOST_MINUTES = 7 * minutesOf.d;

/** A duration such as 30m, 2h or 1d. */
export function toMinutes(text: string): number {
  const [, number, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const factor = unit === "m" || unit === "h" || unit === "d" ? minutesOf[unit] : Number.NaN;
  const minutes = Number(number) * factor;
  if (minutes >= 1 && minutes <= MOST_MINUTES) return minutes;
  throw new InvalidArgumentError("It must be a time such as 30m, 2h or 1d, 7 days at most.");
}

/** One more limit. */
export function addLimit(text: string, known: CanaryLimits = {}): CanaryLimits {
  const [given = "", value = ""] = text.split("=", 2);
  const name = given.trim().replaceAll("-", "_");
  const number = value.trim() === "none" ? null : Number(value);
  if (!limitNames.includes(name) || value === "" || Number.isNaN(number)) {
    throw new InvalidArgumentError(
      `It must be one of ${limitNames.join(", ")}, and a number or none: slowdown=3.`,
    );
  }
  return { ...known, [name]: number };
}

interface Options {
  readonly canary?: string;
  readonly canaryFor?: number;
  readonly canaryLimit?: CanaryLimits;
}

/** What is sent to start a canary; undefined where none is wanted. */
export function readCanaryOptions({ canary, canaryFor, canaryLimit }: Options) {
  if (canary === undefined) {
    if (canaryFor === undefined && canaryLimit === undefined) return undefined;
    throw new UserError("--canary-for and --canary-limit need --canary.", {
      exitCode: exitCodes.usage,
    });
  }
  return {
    connections: readConnections(canary),
    ...(canaryFor !== undefined && { minutes: canaryFor }),
    ...(canaryLimit !== undefined && { limits: canaryLimit }),
  };
}

function readConnections(text: string) {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(text) ?? [];
  if (percent !== undefined) return { percent: Number(percent) };
  const parts = text.split(",").map((part) => part.trim());
  const tags = parts.map((part) => part.split("=", 2));
  if (tags.every(([, value]) => value !== undefined)) return { tags: Object.fromEntries(tags) };
  return { connection_ids: parts };
}
