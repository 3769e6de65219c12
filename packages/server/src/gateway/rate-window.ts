import { AppError, MINUTE, SECOND } from "#platform";

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
