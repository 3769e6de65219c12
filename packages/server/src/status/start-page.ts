import { createHash } from "node:crypto";
import { escapeHtml } from "#gateway";

interface StartPageFacts {
  readonly version: string;
  /** Public address without a trailing slash. */
  readonly serverUrl: string;
  readonly hasDashboard: boolean;
  /** Why the process cannot serve now; undefined when it can. */
  readonly notReady: string | undefined;
  readonly quarantinedSince: Date | undefined;
}

export const startPageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** What a browser shows of the server's address: its state, and where to read on. */
export function renderStartPage(facts: StartPageFacts): { policy: string; html: string } {
  const { version, notReady, quarantinedSince } = facts;
  const address = escapeHtml(facts.serverUrl);
  const state =
    notReady === undefined
      ? '<p class="state ready">Ready</p>'
      : `<p class="state">Not ready: ${escapeHtml(notReady)}</p>`;
  const quarantine =
    quarantinedSince === undefined
      ? ""
      : `<p class="state">In quarantine since ${quarantinedSince.toISOString()}: nothing is synced, refreshed or delivered until <code>jackfield resume</code>.</p>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jackfield</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Jackfield <small>${escapeHtml(version)}</small></h1>
${state}
${quarantine}
<ul>
${facts.hasDashboard ? '<li><a href="dashboard/">Dashboard</a>: connections, syncs, operations</li>' : ""}
<li><a href="docs/">Guides</a>: from the first call to production</li>
<li><a href="docs/api">API</a>: every route with an example, also as <a href="openapi.json">OpenAPI 3.1</a></li>
<li><a href="docs/providers/">Providers</a>: how to connect each of them</li>
</ul>
<h2>First steps</h2>
<p>The first start printed an API key for each environment. To make another key, run this in the folder of the server:</p>
<pre tabindex="0">npx jackfield keys create --environment dev</pre>
<p>List your integrations with it:</p>
<pre tabindex="0">export SVC_SECRET_KEY_DEV=svc_key_…
curl -H "Authorization: Bearer $SVC_SECRET_KEY_DEV" ${address}/integrations</pre>
</main>
</body>
</html>
`;
  return { policy, html };
}

const style = `
:root { color-scheme: light dark; --ground: #fff; --card: #f5f6f8; --line: #dde1e7; --text: #1c2430; --soft: #55606f; --link: #1d5fbf; --bad: #b3261e; --good: #1a6e3c; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161c; --card: #1c222b; --line: #343c48; --text: #eef1f5; --soft: #a5b0be; --link: #8ab8ff; --bad: #ff8a80; --good: #6fd796; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.8rem; margin: 0; }
h1 small { color: var(--soft); font-weight: normal; font-size: 1rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
a { color: var(--link); }
.state { margin: 0.5rem 0 1rem; font-weight: 600; color: var(--bad); }
.ready { color: var(--good); }
pre { padding: 0.75rem; overflow: auto; border: 1px solid var(--line); border-radius: 0.35rem; background: var(--card); font: 0.875rem/1.5 ui-monospace, monospace; }
`;

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
