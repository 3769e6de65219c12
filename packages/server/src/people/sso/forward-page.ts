import { escapeHtml } from "#gateway";

/** A page of ours that opens another one of ours: from there on the browser sends the session. */
export function renderForward(target: string): { headers: Record<string, string>; html: string } {
  const address = escapeHtml(target);
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Signing in</title>
<meta http-equiv="refresh" content="0;url=${address}">
<p><a href="${address}">Continue</a></p>
</html>
`,
  };
}
