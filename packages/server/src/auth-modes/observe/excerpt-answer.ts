import { isSecretName } from "@jackfield/contract/secret-names";
import type { EgressRequest, EgressResponse } from "#foundation/egress";
import { parseTokenAnswer } from "../obtain/token-answer.ts";

const LONGEST = 500;
const HIDDEN = "[hidden]";

// What explains a failure comes before that; reading more costs time, and a server may be hostile.
const LONGEST_READ = 64 * 1024;

/** The text of an answer that led to nothing, without what is or may be secret, as far as the request tells. */
export function excerptAnswer(request: EgressRequest, response: EgressResponse): string {
  const text = describeAnswer(response) ?? readText(response);
  return hideTokens(hideSent(text, request)).replace(/[\s\p{Cc}]+/gu, " ");
}

/** At most 500 characters, that can be stored: Postgres takes no half of one. Cut last, lest half a secret stays. */
export function cutExcerpt(shown: string): string {
  const cut = shown.length > LONGEST ? `${shown.slice(0, LONGEST - 1)}…` : shown;
  return cut.toWellFormed();
}

/** The answer's fields as JSON; undefined where it has none, or is too large or too deep to look at. */
function describeAnswer({ status, body }: EgressResponse): string | undefined {
  if (body.length > LONGEST_READ) return undefined;
  const fields = parseTokenAnswer(body);
  try {
    return fields === undefined ? undefined : describeFields(fields, status < 300);
  } catch {
    return undefined;
  }
}

/** Fields that tell what went wrong; any other text of a success may be what was asked for. */
const telling =
  /^(error|errors|code|status|message|msg|detail|details|reason|title|type|ok|success)$/i;
const tellingStart = /^(error|status|message)_/i;

function describeFields(fields: object, isSuccess: boolean): string {
  return JSON.stringify(fields, (name, value: unknown) => {
    const isFilled = typeof value === "object" ? value !== null : value !== "";
    if (isSecretName(name) && isFilled) return HIDDEN;
    if (!isSuccess || typeof value !== "string" || /^\d*$/.test(name)) return value;
    return telling.test(name) || tellingStart.test(name) ? value : HIDDEN;
  });
}

/** A page loses its markup; the whole body of a success may be a token, and JSON that was not read may hold one. */
function readText({ status, body }: EgressResponse): string {
  const text = body.subarray(0, LONGEST_READ).toString("utf8").trim();
  if (status < 300 || /^(\{|\[\s*["[{])/.test(text)) {
    return body.length === 0 ? "" : `[${body.length} bytes]`;
  }
  return text.startsWith("<") ? withoutMarkup(text).trim() : text;
}

/** In one pass: a page may have thousands of tags that never end. */
function withoutMarkup(page: string): string {
  const shown: string[] = [];
  let hidden: string | undefined;
  for (const piece of page.split("<")) {
    const name = /^\/?[a-z]+/i.exec(piece)?.[0].toLowerCase();
    if (hidden !== undefined && name !== `/${hidden}`) continue;
    hidden = name === "script" || name === "style" ? name : undefined;
    const end = piece.indexOf(">");
    if (end >= 0 && hidden === undefined) shown.push(piece.slice(end + 1));
  }
  return shown.join(" ");
}

const plainParameters =
  /^(grant_type|client_id|redirect_uri|response_type|scope|audience|resource)$/;
const plainHeaders = /^(accept|content-type|user-agent)$/;
// Shorter ones stand in ordinary words; those of the forms are hidden by hide-secrets.ts.
const SHORTEST_SENT = 16;

/** Providers echo what they were sent. */
function hideSent(text: string, { url, headers, body }: EgressRequest): string {
  const parameters = [
    ...(URL.parse(url)?.searchParams ?? []),
    ...Object.entries(parseTokenAnswer(Buffer.from(body ?? "")) ?? {}),
  ].flatMap(([name, value]) => (plainParameters.test(name) ? [] : [String(value)]));
  const words = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    plainHeaders.test(name) ? [] : String(value).split(/[\s,;="]+/),
  );
  return [...parameters, ...words]
    .filter((value) => value.length >= SHORTEST_SENT)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Long words of letters and digits are what tokens look like; trace ids are asked for by support. */
function hideTokens(text: string): string {
  return text.replace(/[A-Za-z0-9_+=~-]{20,}/g, (word) =>
    /\d/.test(word) && /[A-Za-z]/.test(word) && !uuid.test(word) ? HIDDEN : word,
  );
}
