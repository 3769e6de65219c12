import { basePath } from "./base-path.ts";

let linkToken: string | undefined;

/**
 * Takes the token of a one-time link out of the address bar before anything is painted, so that it stays neither in
 * the history nor on the screen.
 */
export function takeLinkToken(): void {
  const { hash, pathname, search } = window.location;
  if (hash.length < 2 || !pathname.startsWith(`${basePath}/`)) return;
  linkToken = hash.slice(1);
  window.history.replaceState(null, "", `${pathname}${search}`);
}

/** The token that the page was opened with; once, for the call that spends it. */
export function linkTokenOfPage(): string | undefined {
  return linkToken;
}

export function forgetLinkToken(): void {
  linkToken = undefined;
}
