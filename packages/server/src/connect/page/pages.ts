import { createHash } from "node:crypto";
import { commonHeaders, toPolicy } from "./page-headers.ts";
import type { PageTexts } from "./page-texts.ts";

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

const style = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --text: #1c2430; --soft: #55606f; --good: #177a4a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161c; --card: #1c222b; --text: #eef1f5; --soft: #a5b0be; --good: #5fd39a; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 2rem 1.5rem; border-radius: 0.75rem; background: var(--card); text-align: center; overflow-wrap: anywhere; }
.mark { font-size: 2.5rem; line-height: 1; margin: 0 0 1rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
h1 { margin: 0 0 0.5rem; font-size: 1.25rem; }
p { margin: 0.5rem 0 0; }
button { min-height: 2.75rem; padding: 0 1.25rem; border: 0; border-radius: 0.5rem; background: #175bc7; color: #fff; font: inherit; cursor: pointer; }
button + button { margin-top: 0.5rem; }
button.quiet { border: 1px solid var(--soft); background: transparent; color: var(--text); }
ul { margin: 0.5rem 0 0; padding: 0; list-style: none; }
button:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
.soft { color: var(--soft); font-size: 0.875rem; }
.facts { text-align: start; margin: 1rem 0 0; }
.facts dt { color: var(--soft); font-size: 0.875rem; margin-top: 0.5rem; }
.facts dd { margin: 0; white-space: pre-wrap; }
h2 { margin: 1.25rem 0 0; font-size: 1rem; text-align: start; }
pre { margin: 0.25rem 0 0; padding: 0.5rem; max-height: 16rem; overflow: auto; text-align: start; white-space: pre-wrap; font-size: 0.8125rem; background: var(--ground); border-radius: 0.5rem; }
pre:focus-visible { outline: 2px solid var(--text); }
.warning { text-align: start; border-inline-start: 3px solid var(--bad); padding-inline-start: 0.75rem; }
`;

/** The style of these pages, as a source of the policy. */
export const styleSource: string = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;

/** What the page's script does next to showing the page. */
export interface PageScript {
  /** Address of the script; the only one that the page may load. */
  readonly address: string;
  /** `stale`: no answer came in the query; it may have come in the fragment. */
  readonly outcome: "success" | "error" | "stale";
  /** The window that opened this one, and the messages for it. */
  readonly opener?: { readonly origin: string; readonly messages: readonly object[] } | undefined;
}

/** Shown when the connection was made; `isPending`: when the provider's own message is still awaited. */
export function successPage(
  script: PageScript,
  { isPending, texts }: { readonly isPending: boolean; readonly texts: PageTexts },
): Page {
  return toPage(200, script, {
    language: texts.language,
    title: isPending ? texts.pending : texts.connected,
    mark: '<p class="mark good" aria-hidden="true">✓</p>',
    main: paragraph(isPending ? texts.pendingText : texts.connectedText),
  });
}

/** Shown when there is no connection; `type` is what support may ask for. */
export function errorPage(
  error: { readonly status: number; readonly type: string; readonly message: string },
  { script, texts }: { readonly script?: PageScript; readonly texts: PageTexts },
): Page {
  const { language, failed, failedText } = texts;
  // What failed in detail is in the language of the API, for who is asked to help.
  const detail = `<p${language === "en" ? "" : ' lang="en" class="soft"'}>${escapeHtml(error.message)}</p>`;
  const next = paragraph(failedText);
  return toPage(error.status, script, {
    ...{ language, title: failed },
    mark: '<p class="mark bad" aria-hidden="true">✕</p>',
    main: [
      ...(language === "en" ? [detail, next] : [next, detail]),
      `<p class="soft">${escapeHtml(texts.error)}: ${escapeHtml(error.type)}</p>`,
    ].join("\n"),
  });
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

interface Content {
  readonly language: string;
  readonly title: string;
  readonly mark: string;
  /** HTML. */
  readonly main: string;
}

function toPage(status: number, script: PageScript | undefined, content: Content): Page {
  return {
    status,
    headers: {
      ...commonHeaders,
      // No Cross-Origin-Opener-Policy: a page that opened this one in a popup has to keep its hold on it.
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": toPolicy({
        "default-src": [],
        "style-src": [styleSource],
        ...(script === undefined ? {} : { "script-src": [script.address] }),
        "base-uri": [],
        "form-action": [],
        "frame-ancestors": [],
      }),
      "cache-control": "no-store",
    },
    html: layout(content, script),
  };
}

function layout({ language, title, mark, main }: Content, script: PageScript | undefined): string {
  return layoutOf({
    language,
    title,
    attributes: script === undefined ? {} : dataOf(script),
    script: script?.address,
    main: `${mark}\n<h1>${escapeHtml(title)}</h1>\n${main}`,
  });
}

interface Layout {
  /** `en` unless given. */
  readonly language?: string;
  readonly title: string;
  /** Of the element `html`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly script: string | undefined;
  /** HTML. */
  readonly main: string;
}

/** A page in the look of these; `main` is taken as it is. */
export function layoutOf({ language = "en", title, attributes, script, main }: Layout): string {
  const written = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join("");
  return `<!doctype html>
<html lang="${escapeHtml(language)}"${written}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>${script === undefined ? "" : `\n<script src="${escapeHtml(script)}" defer></script>`}
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}

function dataOf({ outcome, opener }: PageScript): Record<string, string> {
  if (opener === undefined) return { "data-outcome": outcome };
  const messages = JSON.stringify(opener.messages);
  return { "data-outcome": outcome, "data-opener": opener.origin, "data-messages": messages };
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
