import { v7 } from "uuid";
import { type EnvironmentId, newTimeId, type OperationId } from "#foundation";

/** Why a row is not in the log: too many lines of one operation, too much in a day, too much at once or in an outage. */
export type LeftOutReason = "run_lines" | "day_bytes" | "busy" | "database_away";

/** Notes of one environment that are counted on; what is left out of further operations is counted in one. */
const MOST_NOTES = 1000;
/** Of all environments. */
const MOST_REMEMBERED = 50_000;

/** How many rows were left out of an operation, or, without one, how many operations of an environment. */
export interface LeftOutNote {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly operationId: OperationId | undefined;
  readonly createdAt: Date;
  readonly counts: Partial<Record<LeftOutReason, number>>;
  /** As it is now. */
  isWritten: boolean;
}

/** Counts what is left out, so that a row can say so. */
export class LeftOut {
  readonly #notes = new Map<EnvironmentId, Map<string, LeftOutNote>>();
  #count = 0;
  readonly #changed = new Set<LeftOutNote>();

  /** `operationId` undefined: an operation itself is left out. */
  add(
    environmentId: EnvironmentId,
    operationId: OperationId | undefined,
    { reason, now }: { reason: LeftOutReason; now: Date },
  ): void {
    const note = this.#find(environmentId, operationId, now);
    note.counts[reason] = (note.counts[reason] ?? 0) + 1;
    note.isWritten = false;
    this.#changed.add(note);
  }

  /** Notes to be written now; one that fails is given back. */
  take(
    most: number,
    isLeft: (environmentId: EnvironmentId) => boolean = () => false,
  ): LeftOutNote[] {
    const taken = [...this.#changed]
      .filter(({ environmentId }) => !isLeft(environmentId))
      .slice(0, most);
    for (const note of taken) {
      this.#changed.delete(note);
      note.isWritten = true;
    }
    return taken;
  }

  putBack(notes: readonly LeftOutNote[]): void {
    for (const note of notes) this.#changed.add(note);
  }

  /** Notes that wait to be written. */
  get size(): number {
    return this.#changed.size;
  }

  #find(
    environmentId: EnvironmentId,
    operationId: OperationId | undefined,
    now: Date,
  ): LeftOutNote {
    const notes = this.#notes.get(environmentId) ?? new Map<string, LeftOutNote>();
    this.#notes.set(environmentId, notes);
    // A day's note of operations is in the partition of that day.
    const key = operationId ?? now.toISOString().slice(0, 10);
    const known = notes.get(key);
    if (known !== undefined) return known;
    const isFull = notes.size >= MOST_NOTES || this.#count >= MOST_REMEMBERED;
    if (isFull && !this.#forgetOldest(notes) && operationId !== undefined) {
      return this.#find(environmentId, undefined, now);
    }
    const id = operationId === undefined ? newTimeId<OperationId>(now) : v7();
    const note = { id, environmentId, operationId, createdAt: now, counts: {}, isWritten: false };
    notes.set(key, note);
    this.#count += 1;
    return note;
  }

  /** Of those that are written; what is left out of its operation later gets a note of its own. */
  #forgetOldest(notes: Map<string, LeftOutNote>): boolean {
    for (const [key, note] of notes) {
      if (!note.isWritten) continue;
      notes.delete(key);
      this.#count -= 1;
      return true;
    }
    return false;
  }
}

const reasons: Readonly<Record<LeftOutReason, string>> = {
  run_lines: "the operation has more than SVC_LOG_RUN_LINES",
  day_bytes: "the environment has logged more than SVC_LOG_DAY_LIMIT today",
  busy: "the environment logs faster than the log is written",
  database_away: "the database was away and more rows waited than the buffer holds",
};

/** `1200 log lines were left out: …`. */
export function wordNote({ counts }: LeftOutNote, what: string): string {
  const parts = Object.entries(reasons).flatMap(([reason, words]) => {
    const count = reason in counts ? counts[asReason(reason)] : undefined;
    return count === undefined ? [] : [`${count} because ${words}`];
  });
  return `${totalOf(counts)} ${what} were left out of the log: ${parts.join(", ")}.`;
}

export function totalOf(counts: LeftOutNote["counts"]): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The keys of `reasons` are these and no others. */
function asReason(name: string): LeftOutReason {
  return name as LeftOutReason;
}
