import { commonHeaders, layoutOf, styleSource, toPolicy } from "#connect";
import { escapeHtml } from "#gateway";
import type { Effect } from "../toolsets/toolset.ts";

/** Of a page without scripts, whose form goes there. */
export function headersOf(formTargets: readonly string[]): Record<string, string> {
  return {
    ...commonHeaders,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": toPolicy({
      "default-src": [],
      "style-src": [styleSource],
      "base-uri": [],
      "form-action": formTargets,
      "frame-ancestors": [],
    }),
    "x-frame-options": "DENY",
    "cache-control": "no-store",
  };
}

/** What a person sees of a request that cannot continue. */
export const errorHtml = {
  headers: headersOf([]),
  write: (code: string, message = "The app has sent a request that is not valid."): string =>
    layoutOf({
      title: "Not let in",
      attributes: {},
      script: undefined,
      main: `<p class="mark bad" aria-hidden="true">✕</p>
<h1>Not let in</h1>
<p>${escapeHtml(message)}</p>
<p>Close this window and try again from the app.</p>
<p class="soft">Error: ${escapeHtml(code)}</p>`,
    }),
};

export interface ConsentQuestion {
  readonly clientName: string | undefined;
  /** Host that names the client: of its metadata document; undefined for one that registered itself. */
  readonly clientHost: string | undefined;
  readonly redirectUri: string;
  readonly toolset: { readonly name: string; readonly description: string };
  readonly endUserId: string;
  readonly accounts: readonly { readonly integration: string; readonly label: string }[];
  readonly missing: readonly string[];
  readonly effects: readonly Effect[];
  readonly days: number;
  readonly action: string;
  readonly ticket: string;
}

const mayDo: Readonly<Record<Effect, string>> = {
  read: "read",
  write: "add and change",
  destructive: "delete and overwrite",
};

/** The page on which an end user lets a client in, or does not. */
export function consentPage(question: ConsentQuestion): {
  headers: Record<string, string>;
  html: string;
} {
  const { effects, redirectUri, toolset } = question;
  const name = question.clientName ?? question.clientHost ?? "An app without a name";
  const where = describeRedirect(redirectUri);
  const can = new Intl.ListFormat("en").format(effects.map((effect) => mayDo[effect]));
  const accounts = question.accounts.map(
    ({ integration, label }) => `<li>${escapeHtml(integration)}: ${escapeHtml(label)}</li>`,
  );
  const missing = question.missing.map(
    (integration) => `<li>${escapeHtml(integration)}: not connected yet</li>`,
  );
  const onlyReads = effects.length > 1 && effects.includes("read");
  return {
    headers: headersOf(["'self'", where.source]),
    html: layoutOf({
      title: `Let ${name} in?`,
      attributes: {},
      script: undefined,
      main: `<h1>Let ${escapeHtml(name)} in?</h1>
<p>${question.clientHost === undefined ? "The app chose this name itself." : `The app is from ${escapeHtml(question.clientHost)}.`} It goes back to <strong>${escapeHtml(where.text)}</strong>.</p>
<p>It asks to ${escapeHtml(can)} data in the accounts of <strong>${escapeHtml(question.endUserId)}</strong>, by “${escapeHtml(toolset.name)}”${toolset.description === "" ? "" : ` (${escapeHtml(toolset.description)})`}:</p>
<ul>${[...accounts, ...missing].join("") || "<li>no account yet</li>"}</ul>
<p class="soft">For up to ${question.days} days, or until you or your provider end it. It never sees your passwords or keys.</p>
<form method="post" action="${escapeHtml(question.action)}">
<input type="hidden" name="ticket" value="${escapeHtml(question.ticket)}">
<p><button name="decision" value="allow">Allow</button>${onlyReads ? ' <button class="quiet" name="decision" value="read">Allow reading only</button>' : ""} <button class="quiet" name="decision" value="deny">Do not allow</button></p>
</form>`,
    }),
  };
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Where the browser goes with the code: a site, this computer, or an app that has claimed a scheme. */
export function describeRedirect(redirectUri: string): {
  readonly text: string;
  /** In a content security policy. */
  readonly source: string;
  /** Whether nobody else can be there. */
  readonly isSite: boolean;
} {
  const { protocol, hostname, host, origin } = new URL(redirectUri);
  if (protocol !== "https:" && protocol !== "http:") {
    const text = `an app on this computer (${protocol.slice(0, -1)})`;
    return { text, source: protocol, isSite: false };
  }
  if (loopback.test(hostname)) {
    return { text: "an app on this computer", source: origin, isSite: false };
  }
  return { text: host, source: origin, isSite: protocol === "https:" };
}
