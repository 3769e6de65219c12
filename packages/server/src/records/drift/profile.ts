import { functionLimits } from "@jackfield/contract/function-limits";
import type { RuntimeParams } from "@jackfield/contract/runtime";
import { DAY } from "#foundation";

/** Values of each field by type, of some records of a write. */
export type FieldSample = NonNullable<RuntimeParams<"batchSave">["fields"]>;
export type FieldType = FieldSample[number]["type"];

/** Values of one type that a field had. */
export interface TypeCount {
  /** In the week of the profile, and in the one before. */
  now: number;
  before: number;
  total: number;
  readonly firstMs: number;
  lastMs: number;
}

/** What was seen of a model's records. */
export interface FieldProfile {
  /** Weeks since 1970 of the latest sample. */
  week: number;
  /** By JSON pointer; the empty one is the record itself. */
  readonly fields: Record<string, Partial<Record<FieldType, TypeCount>>>;
  /** Whether records had more fields than are followed. */
  isCut: boolean;
}

const WEEK = 7 * DAY;
const MOST_FIELDS = functionLimits.driftFields.value;
/** Of what no record has had for so long, others get the room. */
export const FIELDS_KEPT_MS: number = 90 * DAY;

export function newProfile(): FieldProfile {
  return { week: 0, fields: {}, isCut: false };
}

/** Adds a sample that was taken at a time; changes the profile in place. */
export function addSample(profile: FieldProfile, sample: FieldSample, atMs: number): void {
  turnWeek(profile, Math.floor(atMs / WEEK));
  dropOld(profile, atMs);
  let free = MOST_FIELDS - Object.keys(profile.fields).length;
  for (const { pointer, type, count } of sample) {
    let types = profile.fields[pointer];
    if (types === undefined) {
      if (free <= 0) {
        profile.isCut = true;
        continue;
      }
      free -= 1;
      types = {};
      profile.fields[pointer] = types;
    }
    types[type] ??= { now: 0, before: 0, total: 0, firstMs: atMs, lastMs: atMs };
    const known = types[type];
    known.now += count;
    known.total += count;
    known.lastMs = Math.max(known.lastMs, atMs);
  }
}

/** A process whose clock is behind adds to the week that has begun. */
function turnWeek(profile: FieldProfile, week: number): void {
  if (week <= profile.week) return;
  const isNext = week === profile.week + 1;
  for (const types of Object.values(profile.fields)) {
    for (const count of Object.values(types)) {
      count.before = isNext ? count.now : 0;
      count.now = 0;
    }
  }
  profile.week = week;
}

function dropOld(profile: FieldProfile, nowMs: number): void {
  for (const [pointer, types] of Object.entries(profile.fields)) {
    const lastMs = Math.max(...Object.values(types).map((count) => count.lastMs));
    if (lastMs < nowMs - FIELDS_KEPT_MS) delete profile.fields[pointer];
  }
}
