/** A table that is partitioned by the UTC day of a time. */
export interface DayTable {
  readonly name: string;
  /** The column of the time, by which the table is partitioned. */
  readonly time: string;
}

/** `YYYY-MM-DD`, UTC. */
export type Day = string;

/** A part of a table with its rows of one day, or of all days before one. */
export interface Partition {
  readonly name: string;
  /** Undefined: it has all rows up to `until`, as a table has that was there before its partitions. */
  readonly day: Day | undefined;
  /** The first day whose rows are not in it. */
  readonly until: Day;
}

export function dayOf(time: Date): Day {
  return time.toISOString().slice(0, 10);
}

export function dayAfter(day: Day): Day {
  const time = new Date(`${day}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() + 1);
  return dayOf(time);
}

export function partitionName({ name }: DayTable, day: Day): string {
  return `${name}_${day.replaceAll("-", "")}`;
}

/** Undefined for the default partition. */
export function toPartition(name: string): Partition | undefined {
  const match = /_(until_)?(\d{4})(\d{2})(\d{2})$/.exec(name);
  if (match === null) return undefined;
  const day = match.slice(2).join("-");
  if (match[1] !== undefined) return { name, day: undefined, until: day };
  return { name, day, until: dayAfter(day) };
}
