/** Runs jobs one at a time, each environment's in its order and alternating between environments. */
export class FairQueue {
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isBusy = false;

  async run<Result>(environmentId: string, job: () => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const waiting = this.#waiting.get(environmentId) ?? [];
    this.#waiting.set(environmentId, waiting);
    waiting.push(async () => await job().then(resolve, reject));
    if (!this.#isBusy) void this.#runAll();
    return await promise;
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true;
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      const [environmentId, jobs] = next;
      const job = jobs.shift();
      // Behind all others, which are served before its next.
      this.#waiting.delete(environmentId);
      if (jobs.length > 0) this.#waiting.set(environmentId, jobs);
      await job?.();
    }
    this.#isBusy = false;
  }
}
