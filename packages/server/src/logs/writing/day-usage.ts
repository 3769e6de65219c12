import { DAY, type EnvironmentId } from "#foundation";

/** Each has the whole allowance of a day, so that messages never take that of operations. */
export type UsageKind = "messages" | "operations";

export interface UsageRow {
  readonly environmentId: EnvironmentId;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly messages: number;
  readonly operations: number;
}

interface Usage {
  day: number;
  /** Of all processes, as the database said last. */
  readonly known: Record<UsageKind, number>;
  /** Of this process, since then. */
  readonly added: Record<UsageKind, number>;
}

/** Bytes that each environment has logged today. */
export class DayUsage {
  readonly #usages = new Map<EnvironmentId, Usage>();
  readonly #changed = new Set<EnvironmentId>();

  /** Whether the bytes are within the day's allowance; then they are counted. */
  charge(
    environmentId: EnvironmentId,
    { kind, bytes, limit, now }: { kind: UsageKind; bytes: number; limit: number; now: Date },
  ): boolean {
    const usage = this.#usageOf(environmentId, Math.floor(now.getTime() / DAY));
    if (usage.known[kind] + usage.added[kind] + bytes > limit) return false;
    usage.added[kind] += bytes;
    this.#changed.add(environmentId);
    return true;
  }

  /** What is to be added to the database. */
  take(most: number): UsageRow[] {
    const rows: UsageRow[] = [];
    for (const environmentId of this.#changed) {
      if (rows.length === most) break;
      this.#changed.delete(environmentId);
      const usage = this.#usages.get(environmentId);
      if (usage === undefined) continue;
      rows.push({ environmentId, day: usage.day, ...usage.added });
      this.#move(usage, usage.added, 1);
    }
    return rows;
  }

  /** They were not added after all. */
  putBack(rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const usage = this.#usages.get(row.environmentId);
      if (usage?.day !== row.day) continue;
      this.#move(usage, row, -1);
      this.#changed.add(row.environmentId);
    }
  }

  /** The totals of all processes. */
  learn(rows: readonly UsageRow[]): void {
    for (const { environmentId, day, messages, operations } of rows) {
      const usage = this.#usages.get(environmentId);
      if (usage?.day === day) Object.assign(usage.known, { messages, operations });
    }
  }

  #usageOf(environmentId: EnvironmentId, day: number): Usage {
    const known = this.#usages.get(environmentId);
    if (known?.day === day) return known;
    const usage = {
      day,
      known: { messages: 0, operations: 0 },
      added: { messages: 0, operations: 0 },
    };
    this.#usages.set(environmentId, usage);
    return usage;
  }

  #move(usage: Usage, amount: Record<UsageKind, number>, sign: 1 | -1): void {
    for (const kind of ["messages", "operations"] as const) {
      const bytes = sign * amount[kind];
      usage.known[kind] += bytes;
      usage.added[kind] -= bytes;
    }
  }
}
