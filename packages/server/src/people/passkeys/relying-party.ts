import type { Settings } from "#foundation";
import { ownOrigins } from "../sessions/own-pages.ts";

/** What passkeys are bound to: the host of the dashboard. They work on its pages alone. */
export function relyingPartyOf(settings: Settings): { id: string; origins: string[] } {
  const { hostname } = new URL(settings.dashboardUrl);
  const origins = [...ownOrigins(settings)].filter(
    (origin) => new URL(origin).hostname === hostname,
  );
  return { id: hostname, origins };
}

/** Browsers take passkeys over TLS, and on `localhost`. */
export function takesPasskeys({ dashboardUrl }: Settings): boolean {
  const { protocol, hostname } = new URL(dashboardUrl);
  return protocol === "https:" || hostname === "localhost";
}
