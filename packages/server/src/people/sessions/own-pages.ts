import type { IncomingHttpHeaders } from "node:http";
import { AppError, type Settings } from "#foundation";

/**
 * Throws untrusted_request unless the browser says that a page of this installation makes the call: by
 * `Sec-Fetch-Site`, which pages cannot write, and by `Origin`. One of the two has to be there, and none may differ.
 */
export function requireOwnPage(settings: Settings, headers: IncomingHttpHeaders): void {
  if (!isPrivateWay(settings)) {
    throw refuse("the dashboard's address has to be https, or on localhost; set SVC_DASHBOARD_URL");
  }
  const site = headers["sec-fetch-site"];
  const { origin } = headers;
  if (site === undefined && origin === undefined) {
    throw refuse(
      "the browser sent neither `Sec-Fetch-Site` nor `Origin`; it needs https, or localhost",
    );
  }
  if (site !== undefined && site !== "same-origin") {
    throw refuse("a page of another site made it, or an address was opened");
  }
  if (origin !== undefined && !ownOrigins(settings).has(origin)) {
    throw refuse(
      `it came from a page of ${shorten(origin)}, and pages here are of ${[...ownOrigins(settings)].join(", ")}`,
    );
  }
}

/** Nobody between browser and server sees what is sent. */
function isPrivateWay({ dashboardUrl }: Settings): boolean {
  const { protocol, hostname } = new URL(dashboardUrl);
  return protocol === "https:" || loopback.includes(hostname);
}

function refuse(why: string): AppError {
  return new AppError(
    "untrusted_request",
    `A session counts only in calls of this installation's own pages: ${why}.`,
  );
}

function shorten(origin: string): string {
  return origin.length > 200 ? `${origin.slice(0, 200)}…` : origin;
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** A server of this machine has three names, which lead to the same pages. */
export function ownOrigins({ dashboardUrl, serverUrl }: Settings): ReadonlySet<string> {
  const urls = [new URL(dashboardUrl), new URL(serverUrl)];
  const others = urls
    .filter(({ hostname }) => loopback.includes(hostname))
    .flatMap(({ protocol, port }) =>
      loopback.map((name) => `${protocol}//${name}${port === "" ? "" : `:${port}`}`),
    );
  return new Set([...urls.map(({ origin }) => origin), ...others]);
}
