import type { Clock } from "../clock.ts";

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: Date;

  constructor(start: Date = new Date()) {
    this.#now = start;
  }

  now(): Date {
    return new Date(this.#now);
  }

  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms);
  }
}
