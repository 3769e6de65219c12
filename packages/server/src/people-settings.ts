import { webAddress } from "./config-values.ts";

/** Settings of people who sign in. */
export const peopleSettings = {
  SVC_DASHBOARD_URL: webAddress.optional(),
} as const;

/** Where people sign in: browsers take passkeys for the name of this machine, and not for its addresses. */
export function toDashboardUrl(dashboardUrl: string | undefined, serverUrl: string): string {
  if (dashboardUrl !== undefined) return dashboardUrl;
  const url = new URL(serverUrl);
  if (url.hostname === "127.0.0.1" || url.hostname === "[::1]") url.hostname = "localhost";
  return `${url.origin}${url.pathname === "/" ? "" : url.pathname}/dashboard`;
}

/** The public address of a server without one of its own. */
export function toServerUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
