import { type Clock, MINUTE, SECOND } from "./clock.ts";
import { AppError } from "./errors.ts";

/** What is limited is counted in fixed windows of a minute, the same in all processes. */
const WINDOW_MS = MINUTE;

/** The number of the window that is open. */
export function windowAt(nowMs: number): number {
  return Math.floor(nowMs / WINDOW_MS);
}

/** In milliseconds since 1970. */
export function endOfWindow(window: number): number {
  return (window + 1) * WINDOW_MS;
}

/** 429 until the window ends; `say` words it by the seconds until then. */
export function refuseUntilEnd(
  { window, nowMs }: { readonly window: number; readonly nowMs: number },
  say: (seconds: number) => string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly repeats?: boolean } = {},
): AppError {
  const seconds = Math.max(1, Math.ceil((endOfWindow(window) - nowMs) / SECOND));
  const headers = { ...options.headers, "Retry-After": String(seconds) };
  return new AppError("too_many_request", say(seconds), { ...options, headers });
}

/** How often something happened, by whose it is, in the window that is open, by this process. */
export class WindowCounts {
  #window = 0;
  readonly #counts = new Map<string, number>();

  /** Counts one more; false past `most`. */
  admit(owner: string, { clock, most }: { clock: Clock; most: number }): boolean {
    const window = windowAt(clock.now().getTime());
    if (window !== this.#window) {
      this.#window = window;
      this.#counts.clear();
    }
    const count = (this.#counts.get(owner) ?? 0) + 1;
    this.#counts.set(owner, count);
    return count <= most;
  }
}
