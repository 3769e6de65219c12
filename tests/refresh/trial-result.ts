/** What a promise is worth: how often it was tried, and every time it did not hold. */
export interface TrialResult {
  readonly id: string;
  readonly trials: number;
  readonly violations: readonly string[];
  readonly note?: string;
}
