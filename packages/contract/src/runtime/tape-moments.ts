/** What of a recorded run its process notes besides its calls; without a schema library, for the process imports it. */

/**
 * Something that reached the run, in the order in which it did: `start`, `a` and the id of a call that was answered, `t`
 * and the number of a timer that fired, or nothing for the continuation of the one before; when, in microseconds of the
 * run; and what each reading of the clock said after it, as microseconds since the reading before.
 */
export type TapeMoment = readonly [on: string, atUs: number, reads: readonly number[]];

/** What a run that is recorded, or played, is given besides its facts. */
export interface TapeFacts {
  /** 64 hexadecimal digits: all that is random comes from it. */
  readonly seed: string;
  /** Milliseconds since 1970 at which the run's clock begins. */
  readonly startedAtMs: number;
  /** The tape that is played; absent while it is recorded. */
  readonly play?: readonly TapeMoment[] | undefined;
}

export const tapeMomentLimits = {
  /** Moments of one message to the server. */
  atOnce: 200,
  /** Readings of one moment. */
  readsOfMoment: 50,
  /** Of a run; past them the tape does not know more of the clock. */
  moments: 100_000,
  reads: 100_000,
} as const;
