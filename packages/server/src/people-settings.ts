import * as z from "zod";
import { port, webAddress } from "./config-values.ts";

/** Settings of people who sign in. */
export const peopleSettings = {
  SVC_DASHBOARD: z.enum(["on", "off"]).default("on"),
  SVC_DASHBOARD_URL: webAddress
    .refine((url) => new URL(url).pathname.endsWith("/dashboard"), "does not end in `/dashboard`")
    .optional(),
  SVC_DASHBOARD_PORT: port
    .pipe(z.number().min(1, "is 0: people need an address that stays"))
    .optional(),
  SVC_SIMULATOR: z.enum(["auto", "off"]).default("auto"),
  SVC_ACCOUNTS: z.enum(["one", "many"], "is neither one nor many").default("one"),
  SVC_OWNER_EMAIL: z.email("is not an e-mail address").optional(),
  SVC_LOCAL_SIGN_IN: z.enum(["owners", "off"], "is neither owners nor off").default("owners"),
} as const;

interface DashboardValues {
  readonly SVC_DASHBOARD: "on" | "off";
  readonly SVC_DASHBOARD_URL?: string | undefined;
  readonly SVC_DASHBOARD_PORT?: number | undefined;
  readonly SVC_SERVER_URL?: string | undefined;
  readonly SVC_HOST: string;
  readonly SVC_PORT: number;
}

export function readDashboard(values: DashboardValues) {
  const { SVC_DASHBOARD_PORT: ownPort, SVC_DASHBOARD_URL: url } = values;
  const atOwnPort =
    ownPort === undefined
      ? undefined
      : toDashboardUrl(undefined, toServerUrl(values.SVC_HOST, ownPort));
  return {
    dashboard: values.SVC_DASHBOARD === "on",
    dashboardUrl: url ?? atOwnPort,
    dashboardPort: ownPort,
  };
}

export function findDashboardFaults(values: DashboardValues): string[] {
  const { SVC_DASHBOARD_PORT: ownPort } = values;
  if (ownPort === undefined) return [];
  if (ownPort === values.SVC_PORT) return ["SVC_DASHBOARD_PORT is SVC_PORT: give it another one"];
  // What is public says nothing about where a private port is reached.
  const isUnknown = values.SVC_SERVER_URL !== undefined && values.SVC_DASHBOARD_URL === undefined;
  return isUnknown
    ? [
        "SVC_DASHBOARD_PORT next to SVC_SERVER_URL needs SVC_DASHBOARD_URL: where people reach that port",
      ]
    : [];
}

/** Where people sign in: browsers take passkeys for the name of this machine, and not for its addresses. */
export function toDashboardUrl(dashboardUrl: string | undefined, serverUrl: string): string {
  if (dashboardUrl !== undefined) return dashboardUrl;
  const url = new URL(serverUrl);
  if (url.hostname === "127.0.0.1" || url.hostname === "[::1]") url.hostname = "localhost";
  return `${url.origin}${url.pathname === "/" ? "" : url.pathname}/dashboard`;
}

/** What is wrong with the host for providers' answers: pages of ours must not have it too. */
export function findSharedHosts(
  proxyHost: string | undefined,
  pages: { readonly serverUrl: string; readonly others: readonly (string | undefined)[] },
): string[] {
  const { serverUrl, others } = pages;
  const urls = [serverUrl, toDashboardUrl(undefined, serverUrl), ...others];
  const isShared = urls.some((url) => url !== undefined && new URL(url).hostname === proxyHost);
  return isShared
    ? ["SVC_PROXY_HOST is the host of our own pages: give /proxy another one, or leave it out"]
    : [];
}

/** The public address of a server without one of its own. */
export function toServerUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Whether a simulated provider may be started for first steps: only where everybody who comes sits at this machine. */
export function mayPlayProvider(
  settings: {
    readonly SVC_SIMULATOR: "auto" | "off";
    readonly SVC_HOST: string;
    readonly SVC_PORT: number;
    readonly SVC_API_PROCESSES: number;
  },
  serverUrl: string,
): boolean {
  const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
  const urls = [toServerUrl(settings.SVC_HOST, settings.SVC_PORT), serverUrl];
  // Bound to every address, a server calls itself localhost.
  const isLocal =
    !["0.0.0.0", "::"].includes(settings.SVC_HOST) &&
    urls.every((url) => loopback.test(new URL(url).hostname));
  return settings.SVC_SIMULATOR === "auto" && isLocal && settings.SVC_API_PROCESSES === 1;
}
