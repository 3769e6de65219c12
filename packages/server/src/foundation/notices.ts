/** What is announced through the database, across processes. */
export interface Notices {
  /** False while announcements may be missed (no direct connection, or it was lost): then look yourself. */
  readonly isListening: boolean;
  /** Time of `performance.now()` up to which everything announced has arrived; -Infinity while it is not known. */
  readonly heardUntil: number;
  /**
   * Calls `wake` at each announcement of `name` with what follows it (`<name> <detail>`), and
   * without a detail when some may have been missed.
   */
  subscribe(name: string, wake: (detail?: string) => void): Disposable;
  /** Wakes those of this process that have subscribed to `name`, without the database: after a commit. */
  wake(name: string): void;
  /** Waits until all that was committed before the call has arrived; false when that cannot be known. */
  catchUp(): Promise<boolean>;
}

/** Hears nothing: for processes behind a transaction pooler. */
export const noNotices: Notices = {
  isListening: false,
  heardUntil: Number.NEGATIVE_INFINITY,
  catchUp: async () => false,
  wake: () => undefined,
  subscribe: () => ({ [Symbol.dispose]() {} }),
};
