import { readFile } from "node:fs/promises";
import type { RawExchange } from "#foundation/http";
import { escapeHtml } from "#gateway";
import { hasSessionCookie } from "#people";
import { pageHeaders } from "./page-headers.ts";

/** The same page for every address below the dashboard: it shows what the address names. */
export async function sendPage(
  dashboardUrl: string,
  folder: URL,
  { request, reply }: RawExchange,
): Promise<void> {
  const base = new URL(dashboardUrl).pathname.replace(/\/$/, "");
  if (/^\/dashboard(?:\?|$)/i.test(request.url)) {
    await reply.status(308).header("location", `${base}/`).send();
    return;
  }
  const { host } = new URL(dashboardUrl);
  if (
    host.startsWith("localhost") &&
    /^(?:127\.0\.0\.1|\[::1\])(?::|$)/.test(request.headers.host ?? "")
  ) {
    // Passkeys need a name, and the cookie of a session is that of one origin: here it is `localhost`.
    const path = request.url.slice("/dashboard".length);
    await reply.status(307).header("location", `${dashboardUrl}${path}`).send();
    return;
  }
  const html = await readFile(new URL("index.html", folder), "utf8").catch(() => undefined);
  if (html === undefined) {
    await reply
      .status(503)
      .headers({ ...pageHeaders, "cache-control": "no-store" })
      .send(notBuilt);
    return;
  }
  const hasSession = hasSessionCookie(request.headers.cookie);
  await reply
    .status(200)
    .headers(pageHeaders)
    .send(fillIn(html, base, hasSession));
}

/**
 * Addresses in the built page are relative to its folder; the page is shown at any depth below it. Who may have signed in
 * sees the frame of the screens until the scripts are there, others do not.
 */
function fillIn(html: string, base: string, hasSession: boolean): string {
  const path = escapeHtml(base);
  return html
    .replaceAll(/((?:src|href)=")\.\//g, (_whole, start: string) => `${start}${path}/`)
    .replace(
      /(<meta name="jackfield-dashboard" content=")[^"]*"/,
      (_whole, start: string) => `${start}${path}"${hasSession ? " data-session" : ""}`,
    );
}

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Dashboard</title></head>
<body><h1>The dashboard is not built</h1>
<p>Run <code>npm ci</code> in the folder of the server, development tools included, and load this page again.</p>
</body></html>
`;
