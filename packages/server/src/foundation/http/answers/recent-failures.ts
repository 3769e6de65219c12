const MOST_KEPT = 20;

/** A request that was answered with 500, without anything that its caller sent. */
export interface Failure {
  /** As its answer and the operator's log have it. */
  readonly id: string;
  readonly method: string;
  /** As the contract writes it, without values; undefined where no route was found. */
  readonly route: string | undefined;
  readonly at: Date;
}

/** The last requests that failed on the server's side. */
export class RecentFailures {
  #all: readonly Failure[] = [];

  add(failure: Failure): void {
    this.#all = [failure, ...this.#all].slice(0, MOST_KEPT);
  }

  /** The newest first. */
  list(): readonly Failure[] {
    return this.#all;
  }
}
