/** A span on a time line, or a moment of it; places are shares of the whole, from 0 to 1. */
export interface Bar {
  readonly id: string;
  /** Share of the whole, from its beginning, for which something held it back. */
  readonly held?: number;
  /** Status of the answer; left out without one. */
  readonly answer?: string;
  readonly from: number;
  readonly to: number;
  /** Left out of a moment. */
  readonly milliseconds?: number;
  readonly kind: "wait" | "own" | "call" | "saved" | "failed" | "retry";
}
