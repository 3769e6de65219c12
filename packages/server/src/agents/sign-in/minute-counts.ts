import { type EnvironmentContext, MINUTE } from "#platform";

/** How often something happened in an environment in the minute that runs, by this process. */
export class MinuteCounts {
  #minute = 0;
  readonly #counts = new Map<string, number>();

  /** Counts one more; false past `most`. */
  admit({ clock, environment }: Pick<EnvironmentContext, "clock" | "environment">, most: number) {
    const minute = Math.floor(clock.now().getTime() / MINUTE);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.clear();
    }
    const count = (this.#counts.get(environment.id) ?? 0) + 1;
    this.#counts.set(environment.id, count);
    return count <= most;
  }
}
