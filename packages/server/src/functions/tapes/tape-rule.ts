/** Which runs of a function are recorded. */
export interface TapeRule {
  readonly functionId: number;
  readonly sample: number;
  readonly nextFailure: boolean;
  readonly createdAt: Date;
  readonly endsAt: Date;
}

export type TapeReason = "sample" | "next_failure";

/** Why a run that begins now is recorded; undefined: it is not. */
export function reasonToRecord(
  rule: TapeRule | undefined,
  { now, chance }: { now: Date; chance: number },
): TapeReason | undefined {
  if (rule === undefined || rule.endsAt <= now) return undefined;
  if (chance < rule.sample) return "sample";
  return rule.nextFailure ? "next_failure" : undefined;
}
