import { layoutOf } from "#connect";
import { MINUTE } from "#foundation";
import { escapeHtml } from "#gateway";
import { headersOf } from "../../oauth/pages.ts";
import type { Approval, Shown } from "../approval.ts";
import { queryOf, type ShownRequest } from "../shown-request.ts";
import type { ApprovalTexts } from "./approval-texts.ts";

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

export interface Question {
  readonly approval: Approval;
  readonly shown: Shown;
  /** Names for people: of the integration, and of the tool. */
  readonly service: string;
  readonly toolTitle: string;
  readonly leftMs: number;
  readonly action: string;
  readonly ticket: string;
}

/** The page on which an end user looks at a call and decides. */
export function questionPage(texts: ApprovalTexts, question: Question): Page {
  const { approval, shown, toolTitle, leftMs, action, ticket } = question;
  const { tool, endUserId, effect, connectionId } = approval;
  const minutes = leftMs / MINUTE;
  const left = new Intl.RelativeTimeFormat(texts.language).format(
    Math.max(1, Math.round(minutes)),
    "minute",
  );
  const named = toolTitle === tool ? tool : `${toolTitle} (${tool})`;
  const facts: [string, string][] = [
    [texts.service, question.service],
    [texts.account, shown.account ?? connectionId],
    [texts.forWhom, endUserId],
    [texts.tool, named],
    [texts.left, left],
  ];
  return toPage(200, texts, {
    formTargets: ["'self'"],
    title: texts.title,
    main: `<h1>${escapeHtml(texts.title)}</h1>
<p>${escapeHtml(texts.intro)}</p>
${describeTaint(texts, shown)}
${effect === "destructive" ? `<p class="warning">${escapeHtml(texts.destructive)}</p>` : ""}
${list(facts)}
<h2>${escapeHtml(texts.sent)}</h2>
${describe(texts, shown.request)}
<h2>${escapeHtml(texts.asked)}</h2>
${describeInput(texts, shown.input)}
<p class="soft">${escapeHtml(texts.after)}</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<p><button name="decision" value="approve">${escapeHtml(texts.approve)}</button> <button class="quiet" name="decision" value="deny">${escapeHtml(texts.deny)}</button></p>
</form>`,
  });
}

/** What became of the call; it shows nothing of it. */
export function statePage(texts: ApprovalTexts, state: keyof ApprovalTexts["states"]): Page {
  const { title, text } = texts.states[state];
  const isGood = state === "approved" || state === "used";
  const mark = isGood ? '<p class="mark good" aria-hidden="true">✓</p>' : "";
  return toPage(state === "missing" ? 404 : 200, texts, {
    ...{ formTargets: [], title },
    main: `${mark}<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>`,
  });
}

/** Of a browser that cannot continue. */
export function failurePage(
  texts: ApprovalTexts,
  { status, code, message }: { status: number; code: string; message: string },
): Page {
  const { failed, failedText, language } = texts;
  // What failed in detail is in the language of the API, for who is asked to help.
  const lang = language === "en" ? "" : ' lang="en" class="soft"';
  return toPage(status, texts, {
    ...{ formTargets: [], title: failed },
    main: `<p class="mark bad" aria-hidden="true">✕</p>
<h1>${escapeHtml(failed)}</h1>
<p>${escapeHtml(failedText)}</p>
<p${lang}>${escapeHtml(message)}</p>
<p class="soft">${escapeHtml(texts.error)}: ${escapeHtml(code)}</p>`,
  });
}

function toPage(
  status: number,
  { language }: ApprovalTexts,
  {
    formTargets,
    title,
    main,
  }: { readonly formTargets: readonly string[]; readonly title: string; readonly main: string },
): Page {
  const html = layoutOf({ language, title, attributes: {}, script: undefined, main });
  return { status, headers: headersOf(formTargets), html };
}

const methods: Readonly<Record<string, keyof ApprovalTexts["methods"]>> = {
  ...{ GET: "read", HEAD: "read", POST: "add", PUT: "change", PATCH: "change", DELETE: "remove" },
};

function describeTaint(texts: ApprovalTexts, { tainted = false, origins = [] }: Shown): string {
  if (!tainted) return "";
  const lines = origins.map(({ text, tool }) => `<li>${visible(texts.origin(text, tool))}</li>`);
  const list = lines.length === 0 ? "" : `<ul>${lines.join("")}</ul>`;
  return `<div class="warning"><p>${escapeHtml(texts.tainted)}</p>${list}</div>`;
}

/** How a request is sent, which is no part of what it does. */
const mechanics: ReadonlySet<string> = new Set([
  ...["hasBody", "retries", "retryOn", "retryHeader", "decompress", "timeoutMs"],
]);

function describe(texts: ApprovalTexts, request: ShownRequest): string {
  const { call, method, url, details, body, body_bytes: bytes } = request;
  const { query: _, headers, ...others } = details;
  const query = queryOf(request);
  const isCut = body !== null && Buffer.byteLength(body) < bytes;
  if (method === null) {
    return `<p>${escapeHtml(texts.inside)} (<code>svc.${visible(call)}</code>)</p>
${text(texts.content, JSON.stringify(details, null, 2))}${body === null ? "" : text(texts.content, body)}`;
  }
  const facts: [string, string][] = [
    [texts.methods[methods[method] ?? "other"], method],
    [texts.address, url ?? ""],
    ...(query.length === 0 ? [] : [[texts.query, query.join("\n")] satisfies [string, string]]),
  ];
  const rest = Object.fromEntries(
    Object.entries({ headers, ...others }).filter(
      ([name, value]) => !mechanics.has(name) && !isEmpty(value),
    ),
  );
  return `${list(facts)}
${body === null ? "" : text(texts.content, readable(body))}
${isCut ? `<p class="soft">${escapeHtml(texts.cut)}</p>` : ""}
${body === null && bytes > 0 ? `<p class="warning">${escapeHtml(texts.noText)} (${bytes} B)</p>` : ""}
${isEmpty(rest) ? "" : text(texts.further, JSON.stringify(rest, null, 2))}`;
}

function describeInput(texts: ApprovalTexts, input: unknown): string {
  if (isEmpty(input)) return `<p>${escapeHtml(texts.nothingAsked)}</p>`;
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return text(texts.asked, JSON.stringify(input, null, 2));
  }
  return list(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined || value === null;
  return Object.keys(value).length === 0;
}

/** JSON with a line for each value, where nothing of the text is lost by that, such as a name that it has twice. */
function readable(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}

function list(facts: readonly (readonly [string, string])[]): string {
  const rows = facts.map(([name, value]) => `<dt>${visible(name)}</dt><dd>${visible(value)}</dd>`);
  return `<dl class="facts">${rows.join("")}</dl>`;
}

/** It scrolls, so who uses a keyboard has to get there. */
function text(label: string, value: string): string {
  const name = escapeHtml(label);
  return `<p class="soft" aria-hidden="true">${name}</p><pre tabindex="0" role="region" aria-label="${name}">${visible(value)}</pre>`;
}

/** Characters that nobody sees, or that change how others are read, by their numbers: a person decides on all of it. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f/gu;

function visible(value: string): string {
  const shown = value.replaceAll(unseen, (character) => {
    if (character === "\n" || character === "\t") return character;
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
  return escapeHtml(shown);
}
