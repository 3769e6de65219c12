/** A moment of one database: what is written later carries the number of a later transaction. */
export interface LogMoment {
  /** The cluster and the database in it, since another one counts for itself. */
  readonly database: string;
  /** The oldest transaction that was still running: its writes are later, and those of any after it. */
  readonly transaction: string;
}

/** Far less than the two thousand million after which numbers of transactions begin again. */
const MOST_TRANSACTIONS = 1_000_000_000n;

/** Whether what was written since can be recognized: the same database, before numbers begin again. */
export function isComparable(
  since: LogMoment | undefined,
  now: LogMoment | undefined,
): since is LogMoment {
  if (since === undefined || now === undefined || since.database !== now.database) return false;
  const passed = BigInt(now.transaction) - BigInt(since.transaction);
  return passed >= 0n && passed < MOST_TRANSACTIONS;
}
