/** Whether this installation may be a copy of one that is at work: then nothing leaves it by itself. */
export interface Quarantine {
  /** Undefined outside of quarantine. */
  readonly since: Date | undefined;
  /** Resolves when it is over; rejects once `signal` is aborted. */
  untilOver(signal: AbortSignal): Promise<void>;
}

export const noQuarantine: Quarantine = { since: undefined, untilOver: async () => {} };
