import type { Settings } from "#platform";
import { commonHeaders, toPolicy } from "./page-headers.ts";
import { layoutOf, type Page, styleSource } from "./pages.ts";

/** The page of a connect link: the server knows nothing of the link until its script asks. */
export function linkPage({ serverUrl, connectUrl }: Settings): Page {
  const api = new URL(serverUrl).origin;
  const isElsewhere = api !== new URL(connectUrl).origin;
  return {
    status: 200,
    headers: {
      ...commonHeaders,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": toPolicy({
        "default-src": [],
        "style-src": [styleSource],
        "script-src": ["'self'"],
        "connect-src": isElsewhere ? [api] : ["'self'"],
        "base-uri": [],
        "form-action": [],
        "frame-ancestors": [],
      }),
      "cache-control": "no-store",
    },
    html: layoutOf({
      title: "Connect your accounts",
      attributes: { "data-api": `${serverUrl}/connect/links/` },
      script: "script.js",
      main: `<h1 id="title">Connect your accounts</h1>
<p id="text" role="status">One moment…</p>
<p><button id="go" type="button" hidden>Continue</button></p>
<p class="soft" id="note"></p>
<noscript><p>This page needs JavaScript.</p></noscript>`,
    }),
  };
}
