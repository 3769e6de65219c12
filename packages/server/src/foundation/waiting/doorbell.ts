/** Ends a wait early; a ring while nobody waits ends the next one. */
export class Doorbell {
  #hasRung = false;
  #open: () => void = () => undefined;

  ring(): void {
    this.#hasRung = true;
    this.#open();
  }

  /** Forgets a ring: what it announced is looked at now. */
  silence(): void {
    this.#hasRung = false;
  }

  /** Until it rings, so long at most. */
  async wait(ms: number): Promise<void> {
    if (!this.#hasRung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#open = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
    }
    this.#hasRung = false;
  }
}
